import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { claimRuns } from '#database';
import { jitterMs } from '#domain';
import { EnqueueRuns, PLATFORM, type Platform, Rescue } from '#pipeline';
import { type Behaviour, eventually, gate, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { movedBy, runsTotal } from '../support/counted.js';
import { type RunningWorker, startWorker, tickOn } from '../support/product.js';
import { Ticking } from '../support/ticking.js';

const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

describe('a run that could not start within max_lateness_seconds', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    // Rescue is called by hand here: on its timer it would come in between.
    worker = await startWorker(stack, { RESCUE_INTERVAL_MS: '600000' });
    api = await startApi(stack);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(async () => {
    target.clear();
    // What the tests before have left behind is not for rescue to find.
    await client().runAlarm.deleteMany();
  });

  const client = () => api.platform.database.client;
  const runOf = (id: string) => client().taskRun.findUniqueOrThrow({ where: { id } });
  const finished = (id: string) =>
    eventually(() => client().taskRun.findFirst({ where: { id, finishedAt: { not: null } } }), `${id} is finished`);
  const counters = (taskId: bigint) => client().taskState.findUniqueOrThrow({ where: { taskId } });
  const makeLate = (id: string) => client().taskRun.update({ where: { id }, data: { startBefore: LONG_AGO } });
  const toQueue = (id: string) =>
    worker.app.get(EnqueueRuns).add([{ id, priority: 0, dueAt: api.platform.clock.now() }]);

  const create = async (fields: object): Promise<string> => {
    const body = taskBody({ target_url: `${target.url}/ok`, max_lateness_seconds: 60, ...fields });
    return (await api.http.post<{ id: string }>('/tasks', body)).data.id;
  };
  const trigger = async (taskId: string): Promise<string> =>
    (await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`)).data.id;
  /** A path that does not answer its first call before it is let to. */
  const holding = (first: Behaviour = {}) => {
    const { opened, open } = gate();
    target.on('/held', (_call, nth) => (nth === 1 ? { ...first, after: opened } : {}));
    return { fields: { target_url: `${target.url}/held`, timeout_seconds: 60 }, open };
  };
  /** Admitted by a tick whose dispatch no queue hears of. */
  const lost = async (fields: object = {}) => {
    const due = secondOf(api.platform.clock.now());
    const task = await insertTask(api.platform.database, {
      ...{ name: `late-${due.getTime()}-${Math.random()}`, cronExpr: '0 0 0 1 1 *', nextFireAt: due },
      ...{ targetUrl: `${target.url}/ok`, maxLatenessSeconds: 60, ...fields },
    });
    await tickOn(api.platform, deaf).runOnce();
    return { taskId: task.id, due: due.getTime(), runId: `${due.getTime() / 1000}-${task.id}` };
  };

  const LATE = { status: 'SKIPPED', skipReason: 'LATE', attempt: 0, startedAt: null, wakeAt: null, execId: null };

  it('carries from its admission until when it may start', async () => {
    const { taskId, runId, due } = await lost({ jitterSeconds: 30 });
    const dueAt = due + jitterMs(taskId, due / 1000, 30);
    expect((await runOf(runId)).startBefore!.getTime()).toBe(dueAt + 60_000);
    const unlimited = await lost({ maxLatenessSeconds: null });
    expect((await runOf(unlimited.runId)).startBefore).toBeNull();
    const onDemand = await finished(await trigger(await create({})));
    expect(onDemand.startBefore!.getTime()).toBe(onDemand.scheduledTime.getTime() + 60_000);
  });

  it('is claimed up to that millisecond, and not after it', async () => {
    const { runId, due } = await lost();
    const by = { node: 'somebody', leaseMs: 30_000 };
    const { database } = api.platform;
    const late = await claimRuns(database, [runId], { ...by, now: due + 60_001 });
    expect(late).toEqual([]);
    const inTime = await claimRuns(database, [runId], { ...by, now: due + 60_000 });
    expect(inTime.map((run) => run.id)).toEqual([runId]);
  });

  it('is SKIPPED (LATE) and never called when a worker gets to it, and its slot is free again', async () => {
    const { taskId, runId } = await lost();
    await makeLate(runId);
    expect(await counters(taskId)).toMatchObject({ activeRuns: 1 });
    await toQueue(runId);
    expect(await finished(runId)).toMatchObject(LATE);
    expect(await counters(taskId)).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
    expect(target.calls.filter((call) => call.runId === runId)).toEqual([]);
  });

  it('gives its slot to the next in line that may still start', async () => {
    const { fields, open } = holding();
    const taskId = await create(fields);
    const [first, late, next] = [await trigger(taskId), await trigger(taskId), await trigger(taskId)];
    await target.waitFor(1);
    expect(await counters(BigInt(taskId))).toMatchObject({ activeRuns: 1, queuedRuns: 2 });
    const [lateId, nextId] = [late, next].sort();
    await makeLate(lateId);
    open();
    expect(await finished(first)).toMatchObject({ status: 'SUCCESS' });
    expect(await finished(lateId)).toMatchObject(LATE);
    expect(await finished(nextId)).toMatchObject({ status: 'SUCCESS' });
    expect(await counters(BigInt(taskId))).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
    expect(target.calls.map((call) => call.runId)).toEqual([first, nextId]);
  });

  it('goes with all that wait behind it and are late too', async () => {
    const { fields, open } = holding();
    const taskId = await create(fields);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await trigger(taskId));
    await target.waitFor(1);
    for (const id of ids.slice(1)) await makeLate(id);
    open();
    const runs = await Promise.all(ids.map(finished));
    expect(runs.map((run) => run.skipReason ?? run.status)).toEqual(['SUCCESS', ...Array(4).fill('LATE')]);
    expect(await counters(BigInt(taskId))).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
    expect(target.calls).toHaveLength(1);
    const after = await trigger(taskId);
    expect(await finished(after)).toMatchObject({ status: 'SUCCESS' });
  });

  it('is late at its first start only: later attempts come when they are due', async () => {
    const retry = { strategy: 'fixed', interval_seconds: 1, max_attempts: 2 };
    const { fields, open } = holding({ status: 503 });
    const runId = await trigger(await create({ ...fields, retry_policy_json: retry }));
    await target.waitFor(1);
    await makeLate(runId);
    open();
    expect(await finished(runId)).toMatchObject({ status: 'SUCCESS', attempt: 2, skipReason: null });
  });

  it('is closed by rescue when the queue has lost it', async () => {
    const { taskId, runId, due } = await lost();
    const alive = await lost();
    for (const id of [runId, alive.runId]) {
      await client().taskRun.update({ where: { id }, data: { wakeAt: new Date(due) } });
      await client().runAlarm.updateMany({ where: { runId: id }, data: { at: new Date(due) } });
    }
    await makeLate(runId);
    const platform = worker.app.get<Platform>(PLATFORM);
    const series = ['rescued_total{kind="late",reason="max_lateness"}', runsTotal('SKIPPED', 'CRON', 'LATE')];
    const moved = await movedBy(platform, series, async () => {
      const report = await worker.app.get(Rescue).runOnce();
      expect(report).toMatchObject({ late: 1, enqueued: 1, nodeLost: 0 });
    });
    expect(moved).toEqual([1, 1]);
    expect(await runOf(runId)).toMatchObject(LATE);
    expect(await counters(taskId)).toMatchObject({ activeRuns: 0 });
    expect(await finished(alive.runId)).toMatchObject({ status: 'SUCCESS' });
  });

  it('is counted from when its call is due: jitter is waited for, and is not lateness', async () => {
    const { taskId } = await lost({ maxLatenessSeconds: 60 });
    const now = secondOf(api.platform.clock.now()).getTime();
    const { due, jitterSeconds, dueAt } = soonestAfter(now + 2_000, taskId);
    const nextFireAt = new Date(due);
    const change = { jitterSeconds, maxConcurrency: 0, state: { update: { nextFireAt } } };
    await client().task.update({ where: { id: taskId }, data: change });
    await tickOn(api.platform, worker.app.get(EnqueueRuns), { graceSeconds: 600 }).runOnce();
    const run = await finished(`${due / 1000}-${taskId}`);
    expect(run).toMatchObject({ status: 'SUCCESS', scheduledTime: nextFireAt });
    expect(run.startedAt!.getTime()).toBeGreaterThanOrEqual(dueAt);
    expect(run.startedAt!.getTime() - due).toBeGreaterThan(60_000);
  });

  /** Of the seconds one to two minutes before, under any setting: the one whose call is due soonest after that time. */
  const soonestAfter = (time: number, taskId: bigint) => {
    const settings = Array.from({ length: 3_600 }, (_, i) => i + 1);
    const seconds = Array.from({ length: 60 }, (_, i) => time - (61 + i) * 1_000);
    return seconds
      .flatMap((due) =>
        settings.map((jitterSeconds) => ({
          due,
          jitterSeconds,
          dueAt: due + jitterMs(taskId, due / 1000, jitterSeconds),
        })),
      )
      .filter(({ dueAt }) => dueAt > time)
      .reduce((best, one) => (one.dueAt < best.dueAt ? one : best));
  };

  it('that is caught up too late is skipped where it is admitted, and takes no slot', async () => {
    const ticking = new Ticking(api.platform);
    const { id } = await insertTask(api.platform.database, {
      ...{ name: 'far-behind', cronExpr: '0 * * * * *', catchUpMode: 'FULL', maxLatenessSeconds: 90 },
      nextFireAt: new Date('2026-01-05T10:00:00Z'),
    });
    await ticking.tickAt('2026-01-05T10:03:20Z');
    await ticking.forget();
    expect((await ticking.shown(id)).map((line) => line.split(' ')[2])).toEqual([
      'LATE',
      'LATE',
      'SCHEDULED',
      'QUEUED',
    ]);
    expect(await counters(id)).toMatchObject({ activeRuns: 1, queuedRuns: 1 });
  });
});
