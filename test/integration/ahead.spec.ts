import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewRun } from '#database';
import type { RunToDispatch } from '#domain';
import { EnqueueRuns, type Platform, Rescue, type Tick, TickLoop } from '#pipeline';
import { eventually, insertTask, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi } from '../support/api.js';
import { type RunningWorker, startWorker, tickOn } from '../support/product.js';

const YEARLY = '0 0 0 1 1 *';
const EVERY_SECOND = '* * * * * *';

describe('a second that is admitted ahead of its time', () => {
  let stack: Stack;
  let api: RunningApi;
  let platform: Platform;
  let target: TargetStub;
  let tick: Tick;
  const told: RunToDispatch[] = [];

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    platform = api.platform;
    const enqueue = { add: (runs: RunToDispatch[]) => Promise.resolve(told.push(...runs)) };
    tick = tickOn(platform, enqueue as unknown as EnqueueRuns);
  });

  afterAll(async () => {
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  afterEach(async () => {
    told.length = 0;
    await platform.database.client.taskState.updateMany({ data: { nextFireAt: null } });
  });

  const client = () => platform.database.client;
  const stateOf = (taskId: bigint) => client().taskState.findUniqueOrThrow({ where: { taskId } });
  const runsOf = (taskId: bigint) => client().taskRun.findMany({ where: { taskId }, orderBy: { id: 'asc' } });
  /** So far ahead that no test is overtaken by it. */
  const soon = () => new Date((Math.floor(platform.clock.now() / 1000) + 600) * 1000);
  const task = async (fields: object = {}, state: object = {}) => {
    const due = soon();
    const row = await insertTask(platform.database, {
      ...{ cronExpr: YEARLY, nextFireAt: due, targetUrl: `${target.url}/ok` },
      ...fields,
    });
    await client().taskState.update({ where: { taskId: row.id }, data: state });
    return { ...row, due, runId: `${due.getTime() / 1000}-${row.id}` };
  };
  const admitAhead = async (due: Date): Promise<NewRun[]> => {
    const runs: NewRun[] = [];
    await tick.admitAhead(due.getTime(), runs);
    return runs;
  };
  const ahead = async (fields: object = {}) => {
    const made = await task(fields);
    await admitAhead(made.due);
    expect(await runsOf(made.id)).toMatchObject([{ id: made.runId, status: 'SCHEDULED' }]);
    return made;
  };

  it('is a row that holds its slot, with the schedule moved on; the queue hears of it when its second has come', async () => {
    const { id, due, runId } = await task();
    const runs = await admitAhead(due);
    expect(runs.map((run) => run.id)).toEqual([runId]);
    expect(told).toEqual([]);
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ id: runId, status: 'SCHEDULED', trigger: 'CRON', scheduledTime: due, attempt: 0 });
    expect(run.queuedAt!.getTime()).toBeLessThan(due.getTime());
    const state = await stateOf(id);
    expect(state).toMatchObject({ activeRuns: 1, queuedRuns: 0, lastRunId: runId });
    expect(state.nextFireAt!.getTime()).toBeGreaterThan(due.getTime());
    await tick.announce(runs);
    expect(told).toMatchObject([{ id: runId, dueAt: due.getTime() }]);
    expect(await admitAhead(due)).toEqual([]);
  });

  it('is only one that nothing can change: no unfinished run, no failure to answer, no agent, no jitter, no later second', async () => {
    const due = soon();
    const ids = await Promise.all([
      task({}, { activeRuns: 1 }),
      task({}, { queuedRuns: 1 }),
      task({ failureAction: 'SKIP' }, { failedTickAttempt: 1 }),
      task({ failureAction: 'RETRY' }, { failedTickAttempt: 1 }),
      task({ executor: 'AGENT', targetUrl: null }),
      task({ jitterSeconds: 5 }),
      task({ nextFireAt: new Date(due.getTime() + 60_000) }),
      task({ nextFireAt: new Date(platform.clock.now() - 1_000) }),
    ]);
    const clear = await task({ failureAction: 'RUN_NEW' }, { failedTickAttempt: 1 });
    expect((await admitAhead(clear.due)).map((run) => run.id)).toEqual([clear.runId]);
    for (const { id } of ids) expect(await runsOf(id)).toEqual([]);
  });

  it('vanishes when its task is disabled, and is planned again when that is enabled in time', async () => {
    const { id } = await ahead({ cronExpr: EVERY_SECOND });
    expect((await api.http.post(`/tasks/${id}/disable`)).status).toBe(200);
    expect(await runsOf(id)).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 0, nextFireAt: null, lastRunId: null });
    expect(await client().runAlarm.count({ where: { runId: { endsWith: `-${id}` } } })).toBe(0);
    expect((await api.http.post(`/tasks/${id}/enable`)).status).toBe(200);
    expect((await stateOf(id)).nextFireAt).not.toBeNull();
  });

  it('vanishes when its schedule changes, and stays when only its target does', async () => {
    const { id, runId } = await ahead();
    const other = await api.http.patch<{ version: number }>(`/tasks/${id}`, {
      version: 1,
      target_url: `${target.url}/other`,
    });
    expect(other.status).toBe(200);
    expect(await runsOf(id)).toMatchObject([{ id: runId }]);
    const changed = await api.http.patch(`/tasks/${id}`, { version: other.data.version, cron_expr: '0 0 12 1 1 *' });
    expect(changed.status).toBe(200);
    expect(await runsOf(id)).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 0 });
  });

  it('vanishes with its task', async () => {
    const { id } = await ahead();
    expect((await api.http.delete(`/tasks/${id}`)).status).toBe(204);
    expect(await runsOf(id)).toEqual([]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 0, nextFireAt: null });
  });

  it('does not stand in the way of a run that somebody asks for now', async () => {
    const { id, due, runId } = await ahead({ maxConcurrency: 1, concurrencyPolicy: 'QUEUE' });
    const asked = await api.http.post<{ id: string; status: string }>(`/tasks/${id}/runs`, {});
    expect([asked.status, asked.data.status]).toEqual([202, 'SCHEDULED']);
    expect((await runsOf(id)).map((run) => run.id)).toEqual([asked.data.id]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 1, nextFireAt: due, lastRunId: asked.data.id });
    expect(runId).not.toBe(asked.data.id);
  });

  it('stays when there is room for both', async () => {
    const { id, runId } = await ahead({ maxConcurrency: 2 });
    const asked = await api.http.post<{ id: string; status: string }>(`/tasks/${id}/runs`, {});
    expect(asked.data.status).toBe('SCHEDULED');
    expect((await runsOf(id)).map((run) => run.id).sort()).toEqual([asked.data.id, runId].sort());
    expect(await stateOf(id)).toMatchObject({ activeRuns: 2 });
  });

  it('is cancelled like any other, and does not come again', async () => {
    const { id, due, runId } = await ahead();
    expect((await api.http.post(`/runs/${runId}/cancel`)).status).toBe(200);
    expect(await runsOf(id)).toMatchObject([{ id: runId, status: 'CANCELED' }]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 0 });
    expect(await admitAhead(due)).toEqual([]);
  });

  it('is brought by rescue when whoever admitted it is gone before it could tell the queue', async () => {
    const { runId, due } = await ahead();
    const { wakeAt } = await client().taskRun.findUniqueOrThrow({ where: { id: runId } });
    expect(wakeAt!.getTime() - due.getTime()).toBe(10_000);
    const past = new Date(platform.clock.now() - 1);
    await client().taskRun.update({ where: { id: runId }, data: { wakeAt: past } });
    await client().runAlarm.updateMany({ where: { runId }, data: { at: past } });
    expect((await api.app.get(Rescue, { strict: false }).runOnce()).enqueued).toBe(1);
  });

  it('is one of the next few where many tasks are due in it: it is found, and only its own tasks are taken', async () => {
    const due = soon();
    const before = new Date(due.getTime() - 1_000);
    const crowd = await Promise.all(Array.from({ length: 4 }, () => task({ nextFireAt: due })));
    const other = await task({ nextFireAt: before });
    const few = tickOn(platform, {} as EnqueueRuns, { batchSize: 4 });
    const second = await few.crowdedSecond(before.getTime() - 1_000, due.getTime());
    expect(second).toBe(due.getTime());
    expect(await few.crowdedSecond(before.getTime(), due.getTime())).toBeNull();
    const runs: NewRun[] = [];
    await few.admitAhead(second!, runs);
    expect(runs.map(({ taskId }) => taskId).sort()).toEqual(crowd.map(({ id }) => id).sort());
    expect((await stateOf(other.id)).nextFireAt).toEqual(before);
  });

  describe('by the loop', () => {
    let worker: RunningWorker;

    beforeAll(async () => {
      worker = await startWorker(stack);
    });

    afterAll(() => worker?.stop());

    it('is called in its second, not before it, and once', async () => {
      const from = new Date((Math.floor(platform.clock.now() / 1000) + 2) * 1000);
      const { id } = await task({ cronExpr: EVERY_SECOND, nextFireAt: from });
      const loop = new TickLoop(
        tickOn(platform, worker.app.get(EnqueueRuns)),
        platform.clock,
        { intervalMs: 1_000, aheadMs: 500 },
        platform.log,
      );
      loop.start();
      const ended = () => client().taskRun.count({ where: { taskId: id, status: 'SUCCESS' } });
      await eventually(async () => (await ended()) >= 4, 'four runs have succeeded');
      await loop.stop();
      await client().taskState.updateMany({ data: { nextFireAt: null } });
      const runs = await runsOf(id);
      for (const run of runs) expect(run.startedAt!.getTime()).toBeGreaterThanOrEqual(run.scheduledTime.getTime());
      expect(runs.some((run) => run.queuedAt! < run.scheduledTime)).toBe(true);
      const seconds = runs.map((run) => run.scheduledTime.getTime() / 1000);
      expect(seconds).toEqual(seconds.map((_, nth) => from.getTime() / 1000 + nth));
      const called = target.calls.map((call) => call.runId).filter((runId) => runId?.endsWith(`-${id}`));
      expect([...called].sort()).toEqual(runs.map((run) => run.id));
    });
  });
});
