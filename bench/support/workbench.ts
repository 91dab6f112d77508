import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createLogger, readServerConfig } from '#config';
import type { Clock, Database } from '#database';
import { EnqueueRuns, openPlatform, type Platform, PlatformModule, Tick, waitUntilReady } from '#pipeline';
import { admitOnDemand } from './admit.js';
import type { DeploymentOptions } from './deployment.js';

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
    return new Workbench(
      platform,
      await NestFactory.createApplicationContext(PlatformModule.of(platform), { logger: false }),
    );
  }

  get database(): Database {
    return this.platform.database;
  }

  tick({ clock }: TickSetup = {}): Tick {
    const { database, config, log, metrics } = this.platform;
    const options = { batchSize: config.tickBatchSize, graceSeconds: 3, catchUpChunk: 20 };
    return new Tick(database, clock ?? this.platform.clock, this.app.get(EnqueueRuns), options, log, metrics);
  }

  /** One run on demand of each of these tasks, in one transaction. */
  admit(taskIds: readonly bigint[]): Promise<void> {
    const { database, clock } = this.platform;
    return admitOnDemand({ database, clock, enqueue: this.app.get(EnqueueRuns) }, taskIds);
  }

  async close(): Promise<void> {
    await this.platform.close();
  }
}
