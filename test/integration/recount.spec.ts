import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkTask, findSuspects } from '#database';
import type { Problem, RunToDispatch } from '#domain';
import { type EnqueueRuns, Recount } from '#pipeline';
import { openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';

describe('the recount', () => {
  let stack: Stack;
  let api: RunningApi;
  const told: RunToDispatch[] = [];
  const said: unknown[] = [];

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  beforeEach(async () => {
    told.length = 0;
    said.length = 0;
    expect(await findSuspects(database())).toMatchObject({ suspects: [] });
  });

  const database = () => api.platform.database;
  const client = () => database().client;
  const stateOf = (taskId: bigint) => client().taskState.findUniqueOrThrow({ where: { taskId } });
  const setState = (taskId: bigint, data: object) => client().taskState.update({ where: { taskId }, data });
  const statusOf = async (id: string) => (await client().taskRun.findUniqueOrThrow({ where: { id } })).status;

  /** A task and runs on demand, which nobody executes: there is no worker. */
  const taskWithRuns = async (runs: number, fields: object = {}) => {
    const { data } = await api.http.post<{ id: string }>('/tasks', taskBody(fields));
    const ids: string[] = [];
    for (let i = 0; i < runs; i++) {
      ids.push((await api.http.post<{ id: string }>(`/tasks/${data.id}/runs`)).data.id);
    }
    return { id: BigInt(data.id), runs: ids };
  };

  const recount = () => {
    const enqueue = { add: (runs: RunToDispatch[]) => Promise.resolve(told.push(...runs)) } as unknown as EnqueueRuns;
    const log = { warn: (line: unknown) => said.push(line), error: (line: unknown) => said.push(line) };
    return new Recount(database(), api.platform.clock, enqueue, log as never, api.platform.metrics);
  };
  const metricOf = async (kind: string) =>
    Number(
      new RegExp(`^punctual_repairs_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(
        await api.platform.metrics.text(),
      )![1],
    );

  /** Repairs it, sees that it is said and counted, and that nothing is left to repair. */
  const repairs = async (id: bigint, problems: Problem[]) => {
    const before = await Promise.all(problems.map(({ kind }) => metricOf(kind)));
    const dry = await checkTask(database(), id, api.platform.clock.now(), { repair: false });
    expect(dry).toEqual({
      taskId: id,
      problems: problems[0].kind === 'no_state' ? [problems[0]] : problems,
      released: [],
    });
    const { repaired } = await recount().runOnce();
    expect(repaired).toMatchObject([{ taskId: id, problems }]);
    expect(said).toEqual([{ task_id: String(id), problems }]);
    expect(await Promise.all(problems.map(({ kind }) => metricOf(kind)))).toEqual(before.map((count) => count + 1));
    expect(await recount().runOnce()).toMatchObject({ repaired: [] });
  };

  it('finds nothing where there is nothing, and tells how much it has looked at', async () => {
    await taskWithRuns(3);
    const search = await findSuspects(database());
    expect(search).toMatchObject({ suspects: [], next: null });
    expect(search.tasks).toBeGreaterThanOrEqual(1);
    expect(search.runs).toBeGreaterThanOrEqual(3);
    expect(await recount().runOnce()).toEqual({ tasks: search.tasks, repaired: [] });
    expect(said).toEqual([]);
  });

  it.each([
    ['too high', { activeRuns: 5, queuedRuns: 7 }],
    ['too low', { activeRuns: 0, queuedRuns: 1 }],
    ['zero', { activeRuns: 0, queuedRuns: 0 }],
  ])('corrects counters that are %s, with the old and the new numbers', async (_, wrong) => {
    const { id } = await taskWithRuns(3);
    await setState(id, wrong);
    const was = { active: wrong.activeRuns, queued: wrong.queuedRuns };
    await repairs(id, [{ kind: 'counters', was, is: { active: 1, queued: 2 } }]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 1, queuedRuns: 2 });
  });

  it('corrects the counters of a task without any runs', async () => {
    const { id } = await taskWithRuns(0);
    await setState(id, { activeRuns: 1 });
    await repairs(id, [{ kind: 'counters', was: { active: 1, queued: 0 }, is: { active: 0, queued: 0 } }]);
  });

  it('lets those in that waited for a slot nobody holds', async () => {
    const { id, runs } = await taskWithRuns(3);
    await client().taskRun.update({
      where: { id: runs[0] },
      data: { status: 'SUCCESS', finishedAt: new Date(), wakeAt: null },
    });
    await repairs(id, [
      { kind: 'counters', was: { active: 1, queued: 2 }, is: { active: 0, queued: 2 } },
      { kind: 'waiting', runs: 1 },
    ]);
    const [next, last] = runs.slice(1).sort();
    expect(told).toMatchObject([{ id: next }]);
    expect([await statusOf(next), await statusOf(last)]).toEqual(['SCHEDULED', 'QUEUED']);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 1, queuedRuns: 1 });
  });

  it('lets those in that a higher limit has room for', async () => {
    const { id, runs } = await taskWithRuns(3);
    await client().task.update({ where: { id }, data: { maxConcurrency: 2 } });
    await repairs(id, [{ kind: 'waiting', runs: 1 }]);
    expect(told).toMatchObject([{ id: runs.slice(1).sort()[0] }]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 2, queuedRuns: 1 });
  });

  it('has a run looked at that has lost its alarm, or its time to wake at', async () => {
    const { id, runs } = await taskWithRuns(2, { max_concurrency: 2 });
    const { wakeAt } = await client().taskRun.findUniqueOrThrow({ where: { id: runs[0] } });
    await client().runAlarm.deleteMany({ where: { runId: runs[0] } });
    const running = { status: 'RUNNING', attempt: 1, execId: 'e', startedAt: new Date(), wakeAt: null };
    await client().taskRun.update({ where: { id: runs[1] }, data: running });
    await repairs(id, [{ kind: 'no_alarm', runs: [...runs].sort() }]);
    expect(await client().runAlarm.findMany({ where: { runId: runs[0] } })).toMatchObject([{ at: wakeAt }]);
    const woken = await client().taskRun.findUniqueOrThrow({ where: { id: runs[1] } });
    expect(woken.wakeAt!.getTime()).toBeGreaterThan(api.platform.clock.now());
  });

  it('finds a retry without an alarm even when the counter has forgotten it, too', async () => {
    const { id, runs } = await taskWithRuns(1);
    await client().runAlarm.deleteMany({ where: { runId: runs[0] } });
    await client().taskRun.update({ where: { id: runs[0] }, data: { status: 'RETRYING', attempt: 1 } });
    await setState(id, { activeRuns: 0 });
    await repairs(id, [
      { kind: 'counters', was: { active: 0, queued: 0 }, is: { active: 1, queued: 0 } },
      { kind: 'no_alarm', runs },
    ]);
  });

  it('leaves a run alone whose start is far away: it holds no slot', async () => {
    const { id, runs } = await taskWithRuns(1);
    await client().runAlarm.deleteMany({ where: { runId: runs[0] } });
    await client().taskRun.update({ where: { id: runs[0] }, data: { wakeAt: null } });
    await repairs(id, [{ kind: 'counters', was: { active: 1, queued: 0 }, is: { active: 0, queued: 0 } }]);
    expect(await statusOf(runs[0])).toBe('SCHEDULED');
  });

  it('cancels what a deleted task has left behind', async () => {
    const { id, runs } = await taskWithRuns(3);
    await client().task.update({ where: { id }, data: { deleted: true, liveName: null } });
    await repairs(id, [
      { kind: 'deleted_task', runs: 3 },
      { kind: 'counters', was: { active: 1, queued: 2 }, is: { active: 0, queued: 0 } },
    ]);
    const left = await client().taskRun.findMany({ where: { taskId: id } });
    expect(left.map((run) => [run.status, run.errorCode])).toEqual(runs.map(() => ['CANCELED', 'TASK_DELETED']));
  });

  it('remembers the right run as the last one that ended', async () => {
    const { id, runs } = await taskWithRuns(2, { max_concurrency: 2 });
    const failed = { status: 'FAILED', attempt: 1, tickAttempt: 3, finishedAt: new Date(), wakeAt: null };
    const [first, second] = [...runs].sort();
    await client().taskRun.update({ where: { id: first }, data: failed });
    await setState(id, { lastEndedRunId: second, activeRuns: 1, failureSkipped: true });
    await repairs(id, [{ kind: 'failure_facts' }]);
    expect(await stateOf(id)).toMatchObject({ lastEndedRunId: first, failedTickAttempt: 3, failureSkipped: false });
  });

  it('gives a task its state back, planned from now on', async () => {
    const { id } = await taskWithRuns(0, { cron_expr: '0 0 0 1 1 *' });
    await client().taskState.delete({ where: { taskId: id } });
    await repairs(id, [{ kind: 'no_state' }]);
    const { nextFireAt } = await stateOf(id);
    expect(nextFireAt!.getTime()).toBeGreaterThan(api.platform.clock.now());
  });

  it('repairs once what several find at the same time', async () => {
    const { id } = await taskWithRuns(2);
    await setState(id, { activeRuns: 0, queuedRuns: 0 });
    const reports = await Promise.all([recount().runOnce(), recount().runOnce(), recount().runOnce()]);
    expect(reports.flatMap(({ repaired }) => repaired)).toHaveLength(1);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 1, queuedRuns: 1 });
  });

  it('goes through the tasks a slice at a time', async () => {
    const tasks = [await taskWithRuns(1), await taskWithRuns(1), await taskWithRuns(1)].map(({ id }) => id);
    for (const id of tasks) await setState(id, { activeRuns: 2 });
    const first = await findSuspects(database(), { after: tasks[0] - 1n, most: 2 });
    expect(first).toMatchObject({ tasks: 2, suspects: tasks.slice(0, 2), next: tasks[1] });
    const second = await findSuspects(database(), { after: first.next!, most: 2 });
    expect(second).toMatchObject({ tasks: 1, suspects: tasks.slice(2), next: null });
    expect((await recount().runOnce()).repaired).toHaveLength(3);
  });
});
