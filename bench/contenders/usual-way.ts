import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type Database, openDatabase } from '#database';
import { Child } from '../support/child.js';
import { removeAll, unfinished } from '../support/tasks.js';
import { type Contender, groups, inLanes, until } from './contender.js';

/** How most teams write it: a BullMQ job per run, and one Prisma write per step of its life. */
export class UsualWay implements Contender {
  readonly name = 'the usual way: BullMQ + Prisma';
  /** It does a few hundred a second: these are enough to know its rate. */
  readonly items = 1_500;
  private readonly database: Database;
  private readonly connection: Redis;
  private readonly queue: Queue;
  private count = 0;

  /** @param databaseUrl a database with the product's tables */
  constructor(
    private readonly databaseUrl: string,
    private readonly redisUrl: string,
    private readonly targetUrl: string,
    private readonly concurrency: number,
  ) {
    this.database = openDatabase({ url: databaseUrl, poolSize: 10, timeoutMs: 30_000 });
    this.connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
    this.queue = new Queue('usual', { connection: this.connection });
  }

  /** Row by row and job by job, ten at a time. */
  async handIn(count: number): Promise<void> {
    await inLanes(count, 10, async () => {
      const data = this.newRun();
      await this.database.client.taskRun.create({ data });
      await this.queue.add('call', { id: data.id });
    });
  }

  async fill(count: number): Promise<void> {
    for (const group of groups(count, 500)) {
      const data = group.map(() => this.newRun());
      await this.database.client.taskRun.createMany({ data });
      await this.queue.addBulk(data.map(({ id }) => ({ name: 'call', data: { id } })));
    }
  }

  async startWorker(): Promise<Child> {
    const args = [this.databaseUrl, this.redisUrl, this.targetUrl, String(this.concurrency)];
    const worker = Child.start('processes/usual-way.js', args);
    await worker.ready();
    return worker;
  }

  finished(): Promise<void> {
    return until(async () => (await unfinished(this.database)) === 0, 'the usual way is done');
  }

  async clear(): Promise<void> {
    await this.queue.obliterate({ force: true });
    await removeAll(this.database);
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.connection.disconnect();
    await this.database.close();
  }

  private newRun() {
    const now = new Date();
    return {
      ...{ id: `${now.getTime()}-${++this.count}`, taskId: 1n, taskName: 'usual', trigger: 'API' },
      ...{ status: 'SCHEDULED', scheduledTime: now, queuedAt: now, traceId: '0'.repeat(32) },
    };
  }
}
