import { setDefaultBackendFactory } from 'bullmq';
import { Redis } from 'ioredis';
import { serverTls } from '#config';
import { Availability } from './availability.js';
import { type QueueBackend, type QueueLog, QueueMisconfigured, type QueueOptions } from './backend.js';
import { RedisCounters } from './redis-counters.js';
import { RedisMemory } from './redis-memory.js';
import { RedisSignals } from './redis-signals.js';

const RETRY_MS = { first: 50, most: 2_000 };

/** BullMQ on Redis. Redis is disposable: the database knows every run, the queue only wakes people up. */
export class RedisBackend implements QueueBackend {
  readonly connection: Redis;
  readonly prefix: string;
  readonly signals: RedisSignals;
  readonly memory: RedisMemory;
  readonly counters: RedisCounters;
  private readonly availability: Availability;

  constructor({ redisUrl, redisCa = null, prefix, timeoutMs }: QueueOptions & { redisUrl: string }, log: QueueLog) {
    // BullMQ's own choice, unless the process has had its queue in PostgreSQL before.
    setDefaultBackendFactory();
    this.prefix = prefix;
    this.connection = new Redis(redisUrl, {
      maxRetriesPerRequest: null, // BullMQ's workers insist: they wait for Redis to come back
      connectTimeout: timeoutMs,
      keepAlive: 10_000,
      ...(redisUrl.startsWith('rediss:') && { tls: serverTls(redisCa, new URL(redisUrl).hostname) }),
      retryStrategy: (times) => Math.min(RETRY_MS.first * 2 ** Math.min(times, 10), RETRY_MS.most),
    });
    this.availability = new Availability('Redis', log, () => this.connection.ping());
    this.signals = new RedisSignals(this.connection, this);
    this.memory = new RedisMemory(this.connection, this);
    this.counters = new RedisCounters(this.connection, this);
    this.connection.on('error', (error) => this.availability.lost(error));
    this.connection.on('reconnecting', () => this.availability.interrupted());
    this.connection.on('ready', () => this.availability.found());
  }

  async prepare(): Promise<void> {
    const memory = await this.ask(() => this.connection.info('memory'));
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
    if (policy && policy !== 'noeviction') {
      throw new QueueMisconfigured(
        `Redis evicts keys when it is full (maxmemory-policy ${policy}), which would lose queued work: ` +
          'set it with `CONFIG SET maxmemory-policy noeviction` and in redis.conf',
      );
    }
  }

  ask<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return this.availability.ask(work);
  }

  async check(): Promise<void> {
    await this.ask(() => this.connection.ping());
  }

  async close(): Promise<void> {
    await this.signals.close();
    this.connection.disconnect();
  }
}
