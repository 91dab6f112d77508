import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import type { Logger, ServerConfig } from '#config';
import { type Database, DatabaseClock, openDatabase } from '#database';
import { openQueue, type QueueBackend } from '#queue';

/** What every process of the product stands on. */
export interface Platform {
  readonly config: ServerConfig;
  readonly log: Logger;
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly queue: QueueBackend;
  /** Names this process wherever it leaves a trace. */
  readonly node: string;
  close(): Promise<void>;
}

/** Opens connections lazily: nothing here waits for a server. `waitUntilReady` does. */
export function openPlatform(config: ServerConfig, log: Logger): Platform {
  const database = openDatabase({
    url: config.databaseUrl,
    poolSize: config.databasePoolSize,
    timeoutMs: config.databaseTimeoutMs,
  });
  const queue = openQueue(
    {
      redisUrl: config.redisUrl,
      databaseUrl: config.databaseUrl,
      prefix: config.queuePrefix,
      timeoutMs: config.databaseTimeoutMs,
    },
    log,
  );
  return {
    config,
    log,
    database,
    queue,
    clock: new DatabaseClock(database),
    node: `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`,
    close: async () => {
      await Promise.allSettled([queue.close(), database.close()]);
    },
  };
}
