import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Child, type Target } from './child.js';
import type { Product } from './product.js';
import type { Figure } from './report.js';

const RUNS = 10_000;

/** From the due second of a herd to its last closed run, with full history in the database. */
export async function drainProduct(product: Product, target: Target, alreadyClosed: number): Promise<Figure> {
  await product.addTasks(
    RUNS,
    target.url,
    new Date(Math.floor(product.platform.clock.now() / 1000) * 1000),
    '0 0 0 1 1 *',
  );
  await target.reset();
  const startedAt = performance.now();
  await product.tick.runOnce();
  const admittedMs = performance.now() - startedAt;
  await target.called(RUNS);
  await product.settled(alreadyClosed + RUNS);
  const seconds = (performance.now() - startedAt) / 1000;
  await product.removeTasks();
  return {
    name: 'Punctual',
    value: RUNS / seconds,
    unit: 'runs/s',
    note: `all admitted within ${Math.round(admittedMs)} ms`,
  };
}

/** The same calls from a bare BullMQ worker: a job each, no database, nothing kept. */
export async function drainBullMq(redisUrl: string, target: Target, concurrency: number): Promise<Figure> {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('bare', { connection });
  const worker = Child.start('./processes/bare-bullmq.js', [redisUrl, target.url, String(concurrency)]);
  await worker.next();
  await target.reset();
  const due = new Date().toISOString();
  const startedAt = performance.now();
  for (let at = 0; at < RUNS; at += 500) {
    await queue.addBulk(Array.from({ length: 500 }, (_, i) => ({ name: 'call', data: { id: String(at + i), due } })));
  }
  await target.called(RUNS);
  const seconds = (performance.now() - startedAt) / 1000;
  await worker.stop();
  await queue.close();
  connection.disconnect();
  return { name: 'bare BullMQ worker', value: RUNS / seconds, unit: 'runs/s' };
}
