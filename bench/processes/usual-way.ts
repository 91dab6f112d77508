import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { openDatabase } from '#database';
import { callTarget, followParent } from './call-target.js';

/** A BullMQ worker with one Prisma write per step: started, finished, and the attempt with what was said. */
const [databaseUrl, redisUrl, target, concurrency] = process.argv.slice(2);
const { client } = openDatabase({ url: databaseUrl, poolSize: 10, timeoutMs: 30_000 });

async function carryOut(id: string): Promise<void> {
  const startedAt = new Date();
  const execId = randomUUID();
  await client.taskRun.update({ where: { id }, data: { status: 'RUNNING', startedAt, execId, attempt: 1 } });
  const { status, text } = await callTarget(target, id, startedAt.toISOString());
  const finishedAt = new Date();
  await client.runAttempt.create({
    data: {
      ...{ runId: id, attempt: 1, execId, outcome: 'SUCCESS', startedAt, finishedAt, httpStatus: status },
      ...{ request: JSON.stringify({ method: 'POST', url: target, body: { run: id } }), response: text },
    },
  });
  await client.taskRun.update({ where: { id }, data: { status: 'SUCCESS', finishedAt, httpStatus: status } });
}

const worker = new Worker<{ id: string }>('usual', ({ data }) => carryOut(data.id), {
  connection: new Redis(redisUrl, { maxRetriesPerRequest: null }),
  concurrency: Number(concurrency),
  removeOnComplete: { count: 0 },
});
await worker.waitUntilReady();
followParent(() => worker.close(true));
process.send?.({ ready: true });
