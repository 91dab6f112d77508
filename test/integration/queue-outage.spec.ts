import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openQueue, type QueueBackend } from '#queue';
import { eventually, openStack, type Stack } from '#testing';
import { Queue, Worker } from 'bullmq';
import { CutLine } from '../support/cut-line.js';

describe('a queue that was away', () => {
  let stack: Stack;
  let line: CutLine;
  let backend: QueueBackend;

  beforeAll(async () => {
    stack = await openStack();
    const cuttable = await CutLine.to(stack.redisUrl || stack.databaseUrl);
    line = cuttable.line;
    const [databaseUrl, redisUrl] = stack.redisUrl ? [stack.databaseUrl, cuttable.url] : [cuttable.url, null];
    const log = { info: () => undefined, warn: () => undefined };
    backend = openQueue({ databaseUrl, redisUrl, prefix: stack.queuePrefix, timeoutMs: 2_000 }, log);
    await backend.prepare();
  });

  afterAll(async () => {
    line?.mend();
    await backend?.close();
    line?.close();
    await stack?.close();
  });

  it('when it was first used is sent jobs, and gives them out, as soon as it is back', async () => {
    line.cut();
    const options = { connection: backend.connection, prefix: backend.prefix };
    const done: string[] = [];
    const queue = new Queue('outage', options);
    const worker = new Worker('outage', (job) => Promise.resolve(void done.push(job.id!)), options);
    queue.on('error', () => undefined);
    worker.on('error', () => undefined);
    // What asks now is left without an answer, and then loses its connection.
    await new Promise((done) => setTimeout(done, 200));
    line.mend();
    try {
      const isTaken = () =>
        queue.add('job', {}, { jobId: 'late' }).then(
          () => true,
          () => false,
        );
      await eventually(isTaken, 'it takes a job', 30_000);
      await eventually(() => Promise.resolve(done.includes('late')), 'the job is done', 30_000);
      expect(done.filter((id) => id === 'late')).toHaveLength(1);
    } finally {
      await worker.close();
      await queue.close();
    }
  }, 90_000);
});
