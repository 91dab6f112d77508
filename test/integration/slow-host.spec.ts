import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { wakeLater } from '#database';
import { LOST_AFTER_MS } from '#domain';
import { EnqueueRuns, type Platform, RunPool } from '#pipeline';
import { openStack, secondOf, type Stack, TargetStub } from '#testing';
import { readyPlatform, type RunningWorker, startWorker, tickOn } from '../support/product.js';

/** Longer than any test: who has to wait for a call that hangs to time out has waited too long. */
const TIMEOUT_SECONDS = 300;

describe('a slow target host', () => {
  let stack: Stack;
  let platform: Platform;
  let slow: TargetStub;
  let fast: TargetStub;
  let workers: RunningWorker[];
  let tasks = 0;

  beforeEach(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    [slow, fast] = await Promise.all([TargetStub.start(), TargetStub.start()]);
    workers = [];
  });

  afterEach(async () => {
    for (const { app } of workers) app.get(RunPool).abort(app.get(RunPool).held(), 'the test is over');
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all([slow?.close(), fast?.close()]);
    await platform?.close();
    await stack?.close();
  });

  const start = async (env: Record<string, string>) => {
    const worker = await startWorker(stack, { SHUTDOWN_GRACE_MS: '1000', ...env });
    workers.push(worker);
    return worker;
  };
  const enqueue = () => workers[0].app.get(EnqueueRuns);
  const tick = () => tickOn(platform, enqueue(), { graceSeconds: 60 }).runOnce();
  /** Tasks that are due now, once. */
  const due = async (count: number, targetUrl: string) => {
    const { client } = platform.database;
    const nextFireAt = secondOf(platform.clock.now());
    const now = new Date();
    const data = Array.from({ length: count }, () => {
      const name = `slow-host-${++tasks}`;
      const once = { cronExpr: '0 0 0 1 1 *', cronSource: '0 0 0 1 1 *', type: 'cron', createdAt: now, updatedAt: now };
      const retryPolicyJson = { strategy: 'none' };
      return { ...once, name, liveName: name, targetUrl, timeoutSeconds: TIMEOUT_SECONDS, retryPolicyJson };
    });
    await client.task.createMany({ data });
    const added = await client.task.findMany({ where: { state: null }, select: { id: true } });
    await client.taskState.createMany({ data: added.map(({ id }) => ({ taskId: id, nextFireAt })) });
    return added.map(({ id }) => ({ taskId: id, id: `${nextFireAt.getTime() / 1000}-${id}` }));
  };
  /** Without telling the queue. */
  const admit = () => {
    const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
    return tickOn(platform, deaf, { graceSeconds: 60 }).runOnce();
  };
  const admitted = async (count: number, targetUrl: string) => {
    const runs = await due(count, targetUrl);
    await admit();
    return runs.map(({ id }) => ({ id, priority: 0, dueAt: platform.clock.now() }));
  };

  it('that hangs gets half of the slots, holds nobody else up, and its runs start when it has room again', async () => {
    slow.on('*', (_call, nth) => (nth <= 10 ? { hang: true } : {}));
    const worker = await start({ WORKER_CONCURRENCY: '20' });
    await due(200, slow.url);
    await tick();
    await slow.waitFor(10);
    for (let round = 1; round <= 3; round++) {
      await due(30, fast.url);
      await tick();
      await fast.waitFor(30 * round);
    }
    expect(slow.calls).toHaveLength(10);

    const pool = worker.app.get(RunPool);
    pool.abort(pool.held(), 'the test gives up on them');
    await slow.waitFor(200, 40_000);
  }, 90_000);

  it('does not mix up the order of a task whose runs wait in line', async () => {
    const [{ taskId }] = await due(1, `${slow.url}/line`);
    const now = secondOf(platform.clock.now()).getTime();
    const seconds = [-5, -4, -3, -2, -1].map((second) => new Date(now + second * 1000));
    for (const nextFireAt of seconds) {
      await platform.database.client.taskState.update({ where: { taskId }, data: { nextFireAt } });
      await admit();
    }
    // Not before: a worker that has found the first one holds the task's row now and then, and the tick goes past it.
    await start({ WORKER_CONCURRENCY: '4', TARGET_CONCURRENCY_PER_HOST: '1' });
    const first = { id: `${seconds[0].getTime() / 1000}-${taskId}`, priority: 0, dueAt: now };
    await enqueue().add([first, ...(await admitted(12, `${slow.url}/other`))]);

    const calls = await slow.waitFor((some) => some.filter((call) => call.endedAt !== undefined).length === 17, 20_000);
    const inLine = slow.callsTo('/line').map((call) => call.headers['x-punctual-scheduled-time']);
    expect(inLine).toEqual(seconds.map((second) => second.toISOString()));
    calls.slice(1).forEach((call, i) => expect(call.startedAt).toBeGreaterThanOrEqual(calls[i].endedAt!));
  });

  it('is called no faster than its rate', async () => {
    await start({ TARGET_RATE_PER_HOST: '20' });
    await due(40, fast.url);
    const since = Date.now();
    await tick();
    const calls = await fast.waitFor(40);
    // Two at once, and the other 38 at twenty a second; 100 ms for two clocks of different kinds.
    expect(calls[39].startedAt - since).toBeGreaterThan(1_800);
  });

  it('one slow run of a dispatch holds back neither its others nor the other slots', async () => {
    await start({ WORKER_CONCURRENCY: '4', TARGET_CONCURRENCY_PER_HOST: '4' });
    slow.on('/hang', { hang: true });
    const dispatch = [...(await admitted(1, `${slow.url}/hang`)), ...(await admitted(12, `${slow.url}/quick`))];
    await enqueue().add(dispatch, 'together');
    await slow.waitFor((calls) => calls.filter((call) => call.endedAt !== undefined).length === 12);
    expect(slow.callsTo('/hang').map((call) => call.endedAt)).toEqual([undefined]);
  });

  it('a worker without free slots hands its runs on to one that is idle', async () => {
    const full = await start({ WORKER_CONCURRENCY: '2', TARGET_CONCURRENCY_PER_HOST: '2' });
    slow.on('*', { hang: true });
    await enqueue().add(await admitted(2, slow.url), 'together');
    await slow.waitFor(2);
    const waiting = await admitted(8, fast.url);
    await enqueue().add(waiting, 'together');
    await start({ WORKER_CONCURRENCY: '2', TARGET_CONCURRENCY_PER_HOST: '2' });
    const idleSince = Date.now();
    const calls = await fast.waitFor(8);
    // The first after a second, two more for a busy machine; and the last long before rescue would have found it.
    expect(calls[0].startedAt - idleSince).toBeLessThan(3_000);
    expect(calls[7].startedAt - idleSince).toBeLessThan(15_000);
    expect(full.app.get(RunPool).busySlots).toBe(2);
  });

  it('whose runs were put off has nobody think that the queue has lost them', async () => {
    const [{ id }] = await admitted(1, slow.url);
    const dueAt = Math.floor(platform.clock.now()) + 60_000;
    await wakeLater(platform.database, [id], dueAt);
    const run = () => platform.database.client.taskRun.findUniqueOrThrow({ where: { id } });
    expect((await run()).wakeAt?.getTime()).toBe(dueAt + LOST_AFTER_MS);
    await wakeLater(platform.database, [id], dueAt - 30_000);
    expect((await run()).wakeAt?.getTime()).toBe(dueAt + LOST_AFTER_MS);
  });
});
