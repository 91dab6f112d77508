import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { startWorker } from '../support/product.js';

describe('a backlog', () => {
  let stack: Stack;
  let api: RunningApi;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
  });

  afterAll(async () => {
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  it('is worked off by priority, higher first, by a worker with one slot', async () => {
    const task = taskBody({ target_url: `${target.url}/{{payload}}`, max_concurrency: 0 });
    await api.http.post('/tasks', task);
    const priorities = [0, 9, 3, 1, 8, 5, 0, 2, 7, 4, 9, 6];
    const jobs = priorities.map((priority) => ({ type: task.name, priority, payload: priority }));
    // Half of them together, half one by one: how they came to the queue makes no difference.
    await api.http.post('/jobs/batch', { jobs: jobs.slice(0, 6) });
    for (const job of jobs.slice(6)) await api.http.post('/jobs', job);
    const worker = await startWorker(stack, { WORKER_CONCURRENCY: '1' });
    try {
      const calls = await target.waitFor(jobs.length);
      expect(calls.map((call) => Number(call.path.slice(1)))).toEqual([...priorities].sort((a, b) => b - a));
    } finally {
      await worker.stop();
    }
  });
});
