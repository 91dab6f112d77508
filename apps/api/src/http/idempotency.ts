import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Answer,
  type IdempotentRequest,
  inTransaction,
  isAnswered,
  type Session,
  withIdempotency,
} from '#database';
import { InvalidInput } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { isPlainObject } from './checks.js';
import { tenantOf } from './tenant.js';

/** Answers a request that creates something: once per Idempotency-Key, if it has one. */
@Injectable()
export class Idempotency {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  /**
   * `work` runs in the transaction that keeps its answer. Gives the text to send.
   * @param admit asked before it, unless the request only asks again for its answer: a quota is for what is new
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (session: Session) => Promise<Answer>,
    admit?: () => Promise<void>,
  ): Promise<string> {
    const key = idempotencyKey(request);
    const { database } = this.platform;
    const isRepeat = admit && key !== undefined && (await isAnswered(database, this.asked(request, key)));
    if (!isRepeat) await admit?.();
    const answer = key === undefined ? await inTransaction(database, work) : await this.once(request, key, work);
    if ('replayed' in answer && answer.replayed) void reply.header('idempotency-replayed', 'true');
    void reply.status(answer.status).headers({ ...answer.headers, 'content-type': 'application/json; charset=utf-8' });
    return answer.body;
  }

  private once(request: FastifyRequest, key: string, work: (session: Session) => Promise<Answer>) {
    return withIdempotency(this.platform.database, this.asked(request, key), work);
  }

  private asked(request: FastifyRequest, key: string): IdempotentRequest {
    const now = new Date(this.platform.clock.now());
    return { tenantId: tenantOf(request), key, requestHash: requestHash(request), now };
  }
}

/** 1–255 visible ASCII characters, or absent. */
export function idempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new InvalidInput([{ field: 'Idempotency-Key', message: 'must be 1–255 visible ASCII characters' }]);
}

export function requestHash({ method, url, body }: FastifyRequest): string {
  return createHash('sha256')
    .update(`${method} ${url}\n${JSON.stringify(canonical(body))}`)
    .digest('hex');
}

/** Deeper than anything that is accepted: what is below is refused, whatever it is. */
const DEEPEST = 80;

/** The order of keys does not make another request. */
function canonical(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return null;
  if (Array.isArray(value)) return value.map((item) => canonical(item, depth + 1));
  if (!isPlainObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonical(value[key], depth + 1)]),
  );
}
