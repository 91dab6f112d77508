import { setTimeout as pause } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Child, type Target } from './child.js';
import type { Product } from './product.js';
import { type Figure, percentile } from './report.js';

const TASKS = 500;
const SECONDS = 10;
/** Not counted: both sides compile and connect in their first seconds. */
const WARM_UP_SECONDS = 3;

/** Tasks due every second: how late after its due second each call reached the target. */
export async function latenessOfProduct(product: Product, target: Target): Promise<Figure[]> {
  const first = new Date(Math.ceil(product.platform.clock.now() / 1000) * 1000 + 2_000);
  await product.addTasks(TASKS, target.url, first, '* * * * * *');
  await target.reset();
  product.loop.start();
  await target.called(TASKS * WARM_UP_SECONDS);
  await target.reset();
  const { lateness } = await target.called(TASKS * SECONDS);
  await product.loop.stop();
  await product.removeTasks();
  return figures('Punctual', lateness.slice(0, TASKS * SECONDS));
}

/** The same with BullMQ alone: a timer at each second adds the jobs. */
export async function latenessOfBullMq(redisUrl: string, target: Target, concurrency: number): Promise<Figure[]> {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('bare', { connection });
  const worker = Child.start('./processes/bare-bullmq.js', [redisUrl, target.url, String(concurrency)]);
  await worker.next();
  await target.reset();
  for (let i = 0; i < WARM_UP_SECONDS + SECONDS; i++) {
    if (i === WARM_UP_SECONDS) await target.reset();
    const due = Math.ceil(Date.now() / 1000) * 1000;
    await pause(due - Date.now());
    const data = { id: 'x', due: new Date(due).toISOString() };
    await queue.addBulk(Array.from({ length: TASKS }, () => ({ name: 'call', data })));
  }
  const { lateness } = await target.called(TASKS * SECONDS);
  await worker.stop();
  await queue.close();
  connection.disconnect();
  return figures('bare BullMQ worker', lateness.slice(0, TASKS * SECONDS));
}

function figures(name: string, lateness: number[]): Figure[] {
  return [50, 99].map((p) => ({ name: `${name}, p${p}`, value: percentile(lateness, p), unit: 'ms late' }));
}
