import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { createLogger, readServerConfig } from '#config';
import { DispatchQueue, RUNS_QUEUE } from '#queue';
import { EnqueueRuns, openPlatform, type Platform, Tick, TickLoop, waitUntilReady } from '#pipeline';
import { Child } from './child.js';

/** The product as it is deployed: a scheduler here, a worker in a process of its own, full durable history. */
export class Product {
  private constructor(
    readonly platform: Platform,
    readonly tick: Tick,
    readonly loop: TickLoop,
    private readonly worker: Child,
    private readonly queue: Queue,
  ) {}

  static async start(databaseUrl: string, redisUrl: string, concurrency: number): Promise<Product> {
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      WORKER_CONCURRENCY: String(concurrency),
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'pretty',
    };
    const config = readServerConfig(env);
    const platform = openPlatform(config, createLogger(config, 'bench'));
    await waitUntilReady(platform);
    const queue = new Queue(RUNS_QUEUE, { connection: platform.queue.connection, prefix: platform.queue.prefix });
    const enqueue = new EnqueueRuns(
      new DispatchQueue(queue, platform.queue),
      platform.database,
      platform.clock,
      config,
      platform.log,
      platform.metrics,
    );
    const options = {
      batchSize: config.tickBatchSize,
      graceSeconds: 60,
      catchUpChunk: 20,
    };
    const tick = new Tick(
      platform.database,
      platform.clock,
      enqueue,
      platform.queue.signals,
      options,
      platform.log,
      platform.metrics,
    );
    const loop = new TickLoop(tick, platform.clock, { intervalMs: 1_000 }, platform.log);
    const worker = Child.start('../apps/worker/src/main.js', [], { ...env, NODE_ENV: 'production' });
    await untilWorkersAre(queue, 1);
    return new Product(platform, tick, loop, worker, queue);
  }

  async addTasks(count: number, targetUrl: string, nextFireAt: Date | null, cronExpr: string): Promise<void> {
    const { client } = this.platform.database;
    const now = new Date();
    const row = (name: string) => ({
      ...{ name, liveName: name, cronExpr, cronSource: cronExpr, type: 'cron', targetUrl },
      ...{ bodyTemplate: '{"run":"{{run_id}}"}', retryPolicyJson: { strategy: 'none' }, maxConcurrency: 0 },
      ...{ createdAt: now, updatedAt: now },
    });
    const prefix = `bench-${now.getTime()}`;
    for (let at = 0; at < count; at += 1_000) {
      const part = Array.from({ length: Math.min(1_000, count - at) }, (_, i) => row(`${prefix}-${at + i}`));
      await client.task.createMany({ data: part });
    }
    const tasks = await client.task.findMany({ where: { state: null }, select: { id: true } });
    await client.taskState.createMany({ data: tasks.map(({ id }) => ({ taskId: id, nextFireAt })) });
  }

  removeTasks(): Promise<unknown> {
    return this.platform.database.client.task.deleteMany();
  }

  /** Resolves when that many runs are closed in the database. */
  async settled(count: number): Promise<void> {
    while ((await this.platform.database.client.taskRun.count({ where: { finishedAt: { not: null } } })) < count) {
      await pause(20);
    }
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.queue.close();
    await this.platform.close();
  }
}

async function untilWorkersAre(queue: Queue, count: number): Promise<void> {
  while ((await queue.getWorkersCount()) < count) await pause(50);
}
