import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { callTarget, followParent } from './call-target.js';

/** A BullMQ worker that calls a URL per job and remembers nothing. */
const [redisUrl, target, concurrency] = process.argv.slice(2);

const worker = new Worker<{ id: string; due: string }>('bare', ({ data }) => callTarget(target, data.id, data.due), {
  connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
  concurrency: Number(concurrency),
  removeOnComplete: { count: 0 },
});
await worker.waitUntilReady();
followParent(() => worker.close(true));
process.send?.({ ready: true });
