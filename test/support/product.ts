import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger, readServerConfig, type ServerConfig } from '#config';
import { type EnqueueRuns, openPlatform, type Platform, Tick, waitUntilReady } from '#pipeline';
import type { Stack } from '#testing';
import { ExecuteModule } from '../../apps/worker/src/execute.module.js';
import { Worker } from '../../apps/worker/src/worker.js';

const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** The configuration of a process on that stack, as its environment would give it. */
export function configFor(stack: Stack, env: Record<string, string> = {}): ServerConfig {
  return readServerConfig({
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    QUEUE_PREFIX: stack.queuePrefix,
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    SHUTDOWN_GRACE_MS: '5000',
    SECRET_KEYS: TEST_KEYS,
    // Tests write runs of long ago: nobody but them moves those.
    RETENTION_INTERVAL_SECONDS: '86400',
    ...env,
  });
}

export async function readyPlatform(stack: Stack, env: Record<string, string> = {}): Promise<Platform> {
  const config = configFor(stack, env);
  const platform = openPlatform(config, createLogger(config, 'test'));
  await waitUntilReady(platform);
  return platform;
}

export interface RunningWorker {
  app: INestApplicationContext;
  platform: Platform;
  stop(): Promise<void>;
}

/** A worker inside the test's own process. */
export async function startWorker(stack: Stack, env: Record<string, string> = {}): Promise<RunningWorker> {
  const platform = await readyPlatform(stack, env);
  const app = await NestFactory.createApplicationContext(ExecuteModule.of(platform), { logger: false });
  const worker = new Worker(app, platform);
  await worker.prepare();
  worker.start();
  return { app, platform, stop: () => worker.stop() };
}

/** A tick on that worker's platform, called by hand. Its grace is long: a machine that stands still makes no run MISSED. */
export function tickOn(platform: Platform, enqueue: EnqueueRuns, options = {}): Tick {
  const settings = { batchSize: 500, graceSeconds: 60, catchUpChunk: 20, ...options };
  return new Tick(
    platform.database,
    platform.clock,
    enqueue,
    platform.queue.signals,
    settings,
    platform.log,
    platform.metrics,
    platform.tracing,
  );
}
