import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { callTarget, followParent } from './call-target.js';

/** BullMQ's own Job Schedulers, one per task, and a bare worker that calls the target. */
const [redisUrl, target, tasks, concurrency] = process.argv.slice(2);
const connection = () => new Redis(redisUrl, { maxRetriesPerRequest: null });

const queue = new Queue('schedulers', { connection: connection() });
for (let task = 1; task <= Number(tasks); task++) {
  const template = { name: 'call', data: { task }, opts: { removeOnComplete: true } };
  await queue.upsertJobScheduler(`task-${task}`, { pattern: '* * * * * *' }, template);
}
/** The second it is for is the last part of the job's id. */
const dueOf = (jobId = ''): number => Number(jobId.slice(jobId.lastIndexOf(':') + 1));

const worker = new Worker<{ task: number }>(
  'schedulers',
  ({ id, data }) => callTarget(target, `${dueOf(id) / 1000}-${data.task}`, new Date(dueOf(id)).toISOString()),
  { connection: connection(), concurrency: Number(concurrency) },
);
await worker.waitUntilReady();
followParent(() => worker.close(true));
process.send?.({ ready: true });
