import type { FastifyReply } from 'fastify';
import type { ServerConfig } from '#config';
import type { Clock } from '#database';
import { TooMany } from '#domain';
import type { Counters } from '#queue';
import { SharedLimit, type Standing } from './shared-limit.js';

const WINDOW_MS = 1_000;
/** What a key that is refused counts for: guessing is slower than asking. */
const FAILURE_COST = 10;

/** Requests by key and by address. A limit of 0 is none. */
export class RateLimits {
  private readonly perKey: SharedLimit | null;
  private readonly perAddress: SharedLimit | null;

  constructor(config: Pick<ServerConfig, 'rateLimitPerKey' | 'rateLimitPerAddress'>, counters: Counters, clock: Clock) {
    const limit = (name: string, most: number) =>
      most === 0 ? null : new SharedLimit(counters, clock, { name, most, windowMs: WINDOW_MS });
    this.perKey = limit('key', config.rateLimitPerKey);
    this.perAddress = limit('address', config.rateLimitPerAddress);
  }

  async countKey(keyId: bigint, reply: FastifyReply): Promise<void> {
    if (this.perKey !== null) apply(await this.perKey.take(String(keyId)), reply, 'this key');
  }

  async countAddress(address: string, reply: FastifyReply): Promise<void> {
    if (this.perAddress !== null) apply(await this.perAddress.take(address), reply, 'this address');
  }

  /** For requests that are not counted: whether the address has used up what it has, by failing. */
  checkAddress(address: string, reply: FastifyReply): void {
    if (this.perAddress !== null) apply(this.perAddress.look(address), reply, 'this address');
  }

  async countFailure(address: string, wasCounted: boolean): Promise<void> {
    await this.perAddress?.charge(address, wasCounted ? FAILURE_COST - 1 : FAILURE_COST);
  }
}

function apply({ allowed, limit, remaining, resetSeconds }: Standing, reply: FastifyReply, who: string): void {
  void reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
  if (!allowed) throw new TooMany(`${who} may make ${limit} requests a second: try again then`, resetSeconds);
}
