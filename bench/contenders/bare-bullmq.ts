import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Child } from '../support/child.js';
import { type Contender, groups, until } from './contender.js';

/** A BullMQ job per call, no database, nothing kept. */
export class BareBullMq implements Contender {
  readonly name: string = 'bare BullMQ';
  private readonly connection: Redis;
  private readonly queue: Queue;

  constructor(
    private readonly redisUrl: string,
    private readonly targetUrl: string,
    private readonly concurrency: number,
  ) {
    this.connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
    this.queue = new Queue('bare', { connection: this.connection });
  }

  async handIn(count: number): Promise<void> {
    const due = new Date().toISOString();
    for (const group of groups(count, 500)) {
      await this.queue.addBulk(group.map((i) => ({ name: 'call', data: { id: `bullmq-${i}`, due } })));
    }
  }

  async startWorker(): Promise<Child> {
    const args = [this.redisUrl, this.targetUrl, String(this.concurrency)];
    const worker = Child.start('processes/bare-bullmq.js', args);
    await worker.ready();
    return worker;
  }

  finished(): Promise<void> {
    return until(async () => (await this.queue.getJobCountByTypes('wait', 'active')) === 0, 'BullMQ is done');
  }

  async clear(): Promise<void> {
    await this.queue.obliterate({ force: true });
  }

  async close(): Promise<void> {
    await this.queue.close();
    this.connection.disconnect();
  }
}
