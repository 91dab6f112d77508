import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { QueueBackend } from './backend.js';
import { type QueueMemory, TELLING_MS } from './queue-memory.js';

/** Marks the queue as told, if whoever says so is still the one who tells it. */
const RESTORED = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], ARGV[2])
return 1`;

/**
 * The mark is the server's `run_id`, which is another one after each restart, and on each replica: with or without persistence, a
 * server that comes back may lack the last second or more. Telling a queue what it knows is harmless.
 */
export class RedisMemory implements QueueMemory {
  private readonly mark: string;
  private readonly telling: string;

  constructor(
    private readonly connection: Redis,
    private readonly backend: Pick<QueueBackend, 'ask' | 'prefix'>,
  ) {
    this.mark = `${backend.prefix}:memory`;
    this.telling = `${backend.prefix}:memory:telling`;
  }

  lost(): Promise<string | null> {
    return this.backend.ask(async () => {
      const life = lifeOf(await this.connection.info('server'));
      if ((await this.connection.get(this.mark)) === life) return null;
      const telling = `${life} ${randomUUID()}`;
      const isOurs = await this.connection.set(this.telling, telling, 'PX', TELLING_MS, 'NX');
      return isOurs === 'OK' ? telling : null;
    });
  }

  async restored(telling: string): Promise<boolean> {
    const [life] = telling.split(' ');
    const done = await this.backend.ask(() =>
      this.connection.eval(RESTORED, 2, this.telling, this.mark, telling, life),
    );
    return Number(done) === 1;
  }
}

/** Servers that do not say it are known by their mark alone. */
const lifeOf = (info: string): string => /^run_id:(\S+)/m.exec(info)?.[1] ?? 'unknown';
