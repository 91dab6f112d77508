import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, inTransaction, type Session, withIdempotency } from '#database';
import { InvalidInput } from '#domain';
import { PLATFORM, type Platform } from '#pipeline';
import { isPlainObject } from './checks.js';
import { tenantOf } from './tenant.js';

/** Answers a request that creates something: once per Idempotency-Key, if it has one. */
@Injectable()
export class Idempotency {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  /** `work` runs in the transaction that keeps its answer. Gives the text to send. */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (session: Session) => Promise<Answer>,
  ): Promise<string> {
    const key = idempotencyKey(request);
    const { database } = this.platform;
    const answer = key === undefined ? await inTransaction(database, work) : await this.once(request, key, work);
    if ('replayed' in answer && answer.replayed) void reply.header('idempotency-replayed', 'true');
    void reply.status(answer.status).headers({ ...answer.headers, 'content-type': 'application/json; charset=utf-8' });
    return answer.body;
  }

  private once(request: FastifyRequest, key: string, work: (session: Session) => Promise<Answer>) {
    const { clock, database } = this.platform;
    const now = new Date(clock.now());
    return withIdempotency(
      database,
      { tenantId: tenantOf(request), key, requestHash: requestHash(request), now },
      work,
    );
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
