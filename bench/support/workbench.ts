import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger, readServerConfig } from '#config';
import { type Clock, type Database, inTransaction } from '#database';
import {
  AdmitRuns,
  EnqueueRuns,
  newTraceId,
  openPlatform,
  type Platform,
  PlatformModule,
  Tick,
  waitUntilReady,
} from '#pipeline';
import type { DeploymentOptions } from './deployment.js';

/** Most runs one request may ask for. */
const BATCH = 1_000;

export interface TickSetup {
  clock?: Clock;
}

/** The product's platform in this process: its tables, its queue, and a tick that is called by hand. */
export class Workbench {
  private constructor(
    readonly platform: Platform,
    private readonly app: INestApplicationContext,
  ) {}

  static async open({ databaseUrl, redisUrl, queuePrefix }: DeploymentOptions): Promise<Workbench> {
    const config = readServerConfig({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: queuePrefix,
      LOG_LEVEL: 'warn',
    });
    const platform = openPlatform(config, createLogger(config, 'bench'));
    await waitUntilReady(platform);
    await meetQueue(platform);
    return new Workbench(
      platform,
      await NestFactory.createApplicationContext(PlatformModule.of(platform), { logger: false }),
    );
  }

  get database(): Database {
    return this.platform.database;
  }

  tick({ clock }: TickSetup = {}): Tick {
    const { database, config, log, metrics, queue } = this.platform;
    const options = { batchSize: config.tickBatchSize, graceSeconds: 3, catchUpChunk: 20 };
    const enqueue = this.app.get(EnqueueRuns);
    return new Tick(database, clock ?? this.platform.clock, enqueue, queue.signals, options, log, metrics);
  }

  /** A run on demand for each id, a thousand at a time, as `POST /jobs/batch` admits them. */
  async admit(taskIds: readonly bigint[]): Promise<void> {
    const { database, clock } = this.platform;
    const admission = new AdmitRuns(database, clock, this.app.get(EnqueueRuns));
    for (let at = 0; at < taskIds.length; at += BATCH) {
      const orders = taskIds
        .slice(at, at + BATCH)
        .map((taskId) => ({ taskId, trigger: 'API', traceId: newTraceId() }) as const);
      const runs = await inTransaction(database, (session) => admission.admit(session, 'default', orders));
      await admission.announce(runs.filter((run) => run !== null));
    }
  }

  async close(): Promise<void> {
    await this.platform.close();
  }
}

/** As the first process of a deployment does: the next one would take the queue for one that has lost its jobs, and tell it all of them. */
async function meetQueue({ queue }: Platform): Promise<void> {
  const telling = await queue.memory.lost();
  if (telling !== null) await queue.memory.restored(telling);
}
