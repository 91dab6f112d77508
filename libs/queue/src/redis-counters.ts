import type { Redis } from 'ioredis';
import type { QueueBackend } from './backend.js';
import type { Counters, CountWindow } from './counters.js';

/** A key for each window, which goes by itself. */
export class RedisCounters implements Counters {
  constructor(
    private readonly connection: Redis,
    private readonly backend: Pick<QueueBackend, 'ask' | 'prefix'>,
  ) {}

  async add({ name, start, lengthMs }: CountWindow, amount: number): Promise<number> {
    const key = `${this.backend.prefix}:count:${name}:${start}`;
    const answers = await this.backend.ask(() =>
      this.connection
        .pipeline()
        .incrby(key, amount)
        .pexpire(key, 2 * lengthMs)
        .exec(),
    );
    const [error, total] = answers?.[0] ?? [new Error('no answer')];
    if (error) throw error;
    return Number(total);
  }
}
