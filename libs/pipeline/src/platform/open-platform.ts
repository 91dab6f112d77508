import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { type Logger, SecretBox, type ServerConfig } from '#config';
import { type Database, DatabaseClock, openDatabase, ping } from '#database';
import type { AlertRules } from '#domain';
import { openQueue, type QueueBackend } from '#queue';
import { Loop } from '../loop.js';
import { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { Tracing } from '../trace/tracing.js';

/** Clocks drift by milliseconds a minute at most. */
const MEASURE_EVERY_MS = 30_000;

/** What every process of the product stands on. */
export interface Platform {
  readonly config: ServerConfig;
  readonly log: Logger;
  readonly database: Database;
  readonly clock: DatabaseClock;
  /** Measures the clock again and again, from `waitUntilReady` to `close`. */
  readonly clockKeeper: Loop;
  readonly queue: QueueBackend;
  readonly metrics: PipelineMetrics;
  /** Null unless traces are asked for; opened by `waitUntilReady`. */
  tracing: Tracing | null;
  /** What whoever runs the deployment is told of; null: nothing. */
  readonly alerts: AlertRules | null;
  /** What secrets in the database are sealed with. */
  readonly secrets: SecretBox;
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
    ca: config.databaseCaFile,
  });
  const queue = openQueue(
    {
      redisUrl: config.redisUrl,
      redisCa: config.redisCaFile,
      databaseUrl: config.databaseUrl,
      databaseCa: config.databaseCaFile,
      prefix: config.queuePrefix,
      timeoutMs: config.databaseTimeoutMs,
    },
    log,
  );
  const clock = new DatabaseClock(database);
  const clockKeeper = new Loop(
    { name: 'setting the clock', delay: () => MEASURE_EVERY_MS, work: async () => void (await clock.measure()) },
    log,
  );
  const metrics = new PipelineMetrics(clock);
  metrics.watchServers({ database: () => ping(database), queue: () => queue.check() });
  const platform: Platform = {
    config,
    log,
    database,
    queue,
    clock,
    clockKeeper,
    metrics,
    tracing: null,
    alerts: config.alertUrl === null ? null : { on: config.alertOn, latenessMs: config.alertLatenessSeconds * 1000 },
    secrets: new SecretBox(config.secretKeys),
    node: `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`,
    close: async () => {
      await clockKeeper.stop();
      await Promise.allSettled([queue.close(), database.close(), platform.tracing?.close()]);
    },
  };
  return platform;
}
