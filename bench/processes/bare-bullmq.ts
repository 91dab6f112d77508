import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';

/** The peer: a BullMQ worker that calls a URL per job and remembers nothing. */
const [redisUrl, target, concurrency] = process.argv.slice(2);
const dispatcher = new Agent({ connections: 128 });

const worker = new Worker(
  'bare',
  async (job: { data: { id: string; due: string } }) => {
    const headers = { 'content-type': 'application/json', 'x-punctual-scheduled-time': job.data.due };
    const { body, statusCode } = await request(target, {
      method: 'POST',
      headers,
      body: JSON.stringify(job.data),
      dispatcher,
    });
    await body.dump();
    if (statusCode >= 300) throw new Error(`status ${statusCode}`);
  },
  {
    connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
    concurrency: Number(concurrency),
    removeOnComplete: { count: 0 },
  },
);
await worker.waitUntilReady();
process.send?.({ ready: true });
process.on('disconnect', () => process.exit(0));
