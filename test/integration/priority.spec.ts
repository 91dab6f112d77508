import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { startWorker } from '../support/product.js';

const JOBS_AT_ONCE = 8;

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

  it('is worked off by priority, higher first, whatever the host, by a worker with one slot', async () => {
    const urls = [target.url, target.url.replace('127.0.0.1', 'localhost')];
    const tasks = urls.map((url) => taskBody({ target_url: `${url}/{{payload}}`, max_concurrency: 0 }));
    for (const task of tasks) await api.http.post('/tasks', task);
    const priorities = Array.from({ length: 40 }, (_, i) => (i * 7) % 10);
    // One host has few of them, and none that hurries.
    const typeOf = (priority: number, i: number) => tasks[i % 4 === 0 && priority < 5 ? 1 : 0].name;
    const jobs = priorities.map((priority, i) => ({ type: typeOf(priority, i), priority, payload: priority }));
    // Half of them together, half one by one: how they came to the queue makes no difference.
    await api.http.post('/jobs/batch', { jobs: jobs.slice(0, 30) });
    for (const job of jobs.slice(30)) await api.http.post('/jobs', job);
    const worker = await startWorker(stack, { WORKER_CONCURRENCY: '1' });
    try {
      const calls = await target.waitFor(jobs.length);
      const order = calls.map((call) => Number(call.path.slice(1)));
      expect([...order].sort()).toEqual([...priorities].sort());
      // A worker takes a few jobs at once, so that one may come a few places too early.
      const tooEarly = order.filter((priority, at) =>
        order.slice(at + 1 + JOBS_AT_ONCE).some((later) => later > priority),
      );
      expect(tooEarly).toEqual([]);
    } finally {
      await worker.stop();
    }
  });

  it('of a swift host lets a run of another one pass that hurries more', async () => {
    const slow = await TargetStub.start();
    const worker = await startWorker(stack, { WORKER_CONCURRENCY: '1' });
    try {
      target.clear();
      target.on('/swift', { delayMs: 5 });
      const [backlog, urgent] = [`${target.url}/swift`, `${slow.url}/slow`].map((target_url) =>
        taskBody({ target_url, max_concurrency: 0 }),
      );
      for (const task of [backlog, urgent]) await api.http.post('/tasks', task);
      await api.http.post('/jobs/batch', { jobs: Array(600).fill({ type: backlog.name }) });
      await target.waitFor(50);
      await api.http.post('/jobs', { type: urgent.name, priority: 9 });
      await slow.waitFor(1);
      expect(target.calls.length).toBeLessThan(400);
      await target.waitFor(600);
    } finally {
      await worker.stop();
      await slow.close();
    }
  }, 60_000);
});
