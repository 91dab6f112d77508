import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findSuspects } from '#database';
import { Recount } from '#pipeline';
import { openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

/** Looks at least, and how long there are more of them. */
const LOOKS = 5;
const STIRRED_MS = 15_000;

describe('the recount, while everything is moving', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  const tasks: string[] = [];

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/slow', { delayMs: 300 }).on('/away', { status: 503 }).on('/hang', { hang: true });
    api = await startApi(stack, { SCHEDULER: 'enabled', RESCUE_INTERVAL_MS: '200' });
    worker = await startWorker(stack, { RESCUE_INTERVAL_MS: '200', WORKER_CONCURRENCY: '8' });
    for (const fields of KINDS) tasks.push(await create(fields));
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  /** Ticks, lines, retries, replacing, skipping, lateness. */
  const EVERY_SECOND = { cron_expr: '* * * * * *' };
  const KINDS = [
    { path: '/ok', ...EVERY_SECOND, max_concurrency: 0 },
    { path: '/slow', ...EVERY_SECOND, max_concurrency: 1, concurrency_policy: 'QUEUE' },
    { path: '/slow', ...EVERY_SECOND, max_concurrency: 2, concurrency_policy: 'SKIP' },
    { path: '/hang', ...EVERY_SECOND, overlap_action: 'CANCEL_PREV', timeout_seconds: 60 },
    { path: '/hang', ...EVERY_SECOND, timeout_seconds: 1, max_lateness_seconds: 1 },
    { path: '/away', ...EVERY_SECOND, retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 } },
    { path: '/away', ...EVERY_SECOND, failure_action: 'SKIP' },
    { path: '/slow', max_concurrency: 3 },
    { path: '/hang', max_concurrency: 2, timeout_seconds: 60 },
  ];

  const create = async ({ path, ...fields }: { path: string } & object): Promise<string> => {
    const { data, status } = await api.http.post('/tasks', taskBody({ target_url: `${target.url}${path}`, ...fields }));
    expect([status, data]).toEqual([201, data]);
    return data.id;
  };

  /** Runs on demand, half of them cancelled at once, limits that change, and tasks that come and go. */
  async function stir(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      const id = tasks[n % tasks.length];
      const { data } = await api.http.post(`/tasks/${id}/runs`);
      if (n % 2 === 0) await api.http.post(`/runs/${data.id}/cancel`);
      if (n % 5 === 0) await api.http.patch(`/tasks/${tasks[7]}`, { max_concurrency: 1 + ((n / 5) % 4) });
      if (n % 7 === 0) await comeAndGo();
    }
  }

  async function comeAndGo(): Promise<void> {
    const id = await create({ path: '/slow', ...EVERY_SECOND });
    await Promise.all([1, 2, 3].map(() => api.http.post(`/tasks/${id}/runs`)));
    await api.http.delete(`/tasks/${id}`);
  }

  it('finds nothing wrong and changes nothing', async () => {
    const { database, clock, metrics, log } = api.platform;
    const recount = new Recount(database, clock, { add: () => Promise.resolve() } as never, log, metrics);
    let isOver = false;
    const stirring = Promise.all([stir(() => isOver), stir(() => isOver)]);
    const found: unknown[] = [];
    try {
      const end = performance.now() + STIRRED_MS;
      for (let looks = 0; looks < LOOKS || performance.now() < end; looks++) {
        found.push(...(await findSuspects(database)).suspects, ...(await recount.runOnce()).repaired);
      }
    } finally {
      isOver = true;
      await stirring;
    }
    expect(found).toEqual([]);
    expect(await database.client.taskRun.count({ where: { finishedAt: { not: null } } })).toBeGreaterThan(0);
  }, 90_000);
});
