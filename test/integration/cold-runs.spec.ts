import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { claimRuns, inSqlTransaction, lockTask, nextColdRuns, takeColdRuns } from '#database';
import type { RunToDispatch } from '#domain';
import { type EnqueueRuns, type Platform, Rescue, WarmRuns } from '#pipeline';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker, tickOn } from '../support/product.js';

const HOUR_MS = 3_600_000;

describe('a run that starts later', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/hang', { hang: true });
    api = await startApi(stack);
    worker = await startWorker(stack, { RESCUE_INTERVAL_MS: '600000' });
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());
  // What a test has left in the cold is not the next one's.
  afterEach(async () => void (await client().coldRun.deleteMany()));

  const client = () => api.platform.database.client;
  const later = (ms: number) => new Date(api.platform.clock.now() + ms);
  const create = async (fields: object = {}): Promise<{ id: string; name: string }> =>
    (await api.http.post('/tasks', taskBody({ target_url: `${target.url}/ok`, ...fields }))).data;
  const trigger = async (id: string, fields: object = {}): Promise<{ id: string; status: string }> =>
    (await api.http.post(`/tasks/${id}/runs`, fields)).data;
  const inAnHour = (id: string, fields: object = {}) => trigger(id, { start_time: later(HOUR_MS), ...fields });
  const row = (id: string) => client().taskRun.findUniqueOrThrow({ where: { id } });
  const counters = (id: string) => client().taskState.findUniqueOrThrow({ where: { taskId: BigInt(id) } });
  const coldOnes = async () => (await client().coldRun.findMany()).map(({ runId }) => runId);
  const closed = (id: string) =>
    eventually(() => client().taskRun.findFirst({ where: { id, finishedAt: { not: null } } }), `${id} is closed`);

  /** What the loop does, under a clock that is ahead; gives what the queue was told. */
  const warmAt = async (
    now: number,
    queue: { add(runs: RunToDispatch[]): Promise<void> } = { add: async () => {} },
  ) => {
    const told: RunToDispatch[] = [];
    const enqueue = { add: (runs: RunToDispatch[]) => (told.push(...runs), queue.add(runs)) } as unknown as EnqueueRuns;
    await new WarmRuns(api.platform.database, { now: () => now }, enqueue).runOnce();
    return told;
  };
  const tickAtTime = (now: number) =>
    tickOn(
      { ...api.platform, clock: { now: () => now } } as Platform,
      { add: async () => {} } as unknown as EnqueueRuns,
    );
  const anHourOn = () => api.platform.clock.now() + HOUR_MS;

  it('waits in the database: SCHEDULED, without a slot, an alarm or a place in any queue', async () => {
    const { id } = await create();
    const run = await inAnHour(id, { payload: 1 });
    expect(run.status).toBe('SCHEDULED');
    expect(await row(run.id)).toMatchObject({ wakeAt: null, finishedAt: null });
    expect(await counters(id)).toMatchObject({ activeRuns: 0, queuedRuns: 0, lastRunId: null });
    expect(await client().runAlarm.count({ where: { runId: run.id } })).toBe(0);
    expect(await coldOnes()).toEqual([run.id]);
    expect(await warmAt(anHourOn() - 10_000)).toEqual([]);
  });

  it('is in the lists like any other SCHEDULED run, page by page', async () => {
    const { id } = await create();
    const now = await trigger(id);
    const cold = [];
    for (const hours of [1, 2, 3]) cold.unshift((await trigger(id, { start_time: later(hours * HOUR_MS) })).id);
    const list = async (params: object) => (await api.http.get(`/tasks/${id}/runs`, { params })).data;
    const idsOf = ({ items }: { items: { id: string }[] }) => items.map((item) => item.id);
    expect(idsOf(await list({}))).toEqual([...cold, now.id]);
    const first = await list({ status: 'SCHEDULED', limit: 2 });
    expect(idsOf(first)).toEqual(cold.slice(0, 2));
    const rest = await list({ status: 'SCHEDULED', cursor: first.next_cursor });
    expect(idsOf(rest).filter((runId) => runId !== now.id)).toEqual([cold[2]]);
    const all = (await api.http.get('/runs', { params: { status: 'SCHEDULED', from: later(1.5 * HOUR_MS) } })).data;
    expect(idsOf(all)).toEqual(cold.slice(0, 2));
    expect((await list({ status: 'SCHEDULED', creator: 'nobody' })).items).toEqual([]);
    await closed(now.id);
  });

  it('cannot be taken by a worker that hears of it', async () => {
    const run = await inAnHour((await create()).id);
    const by = { node: 'test', now: api.platform.clock.now(), leaseMs: 30_000 };
    expect(await claimRuns(api.platform.database, [run.id], by)).toEqual([]);
    expect(await row(run.id)).toMatchObject({ status: 'SCHEDULED', attempt: 0 });
  });

  it('stands in nobody’s way until then, and is not taken for what does', async () => {
    const { id } = await create({ target_url: `${target.url}/hang`, max_concurrency: 1, concurrency_policy: 'SKIP' });
    await inAnHour(id);
    const now = await trigger(id, { attempt_timeout_seconds: 5 });
    expect(now.status).toBe('SCHEDULED');
    const blocked = await trigger(id);
    expect(await row(blocked.id)).toMatchObject({ status: 'SKIPPED', blockedBy: now.id });
  });

  it('is admitted two seconds ahead, with a slot and an alarm, and told to the queue for its time, where that is nothing to others', async () => {
    const { id } = await create({ max_concurrency: 0 });
    const run = await inAnHour(id, { priority: 6 });
    const { scheduledTime } = await row(run.id);
    const start = scheduledTime.getTime();
    expect(await warmAt(start - 2_001)).toEqual([]);
    expect(await warmAt(start - 2_000)).toMatchObject([{ id: run.id, priority: 6, dueAt: start }]);
    expect(await row(run.id)).toMatchObject({ status: 'SCHEDULED', wakeAt: new Date(start + 30_000) });
    expect(await counters(id)).toMatchObject({ activeRuns: 1, queuedRuns: 0, lastRunId: run.id });
    expect(await client().runAlarm.findMany({ where: { runId: run.id } })).toMatchObject([
      { at: new Date(start + 10_000) },
    ]);
    expect(await coldOnes()).toEqual([]);
    expect(await warmAt(start)).toEqual([]);
  });

  it('is admitted when it starts, and not before, where slots are few', async () => {
    const { id } = await create();
    const run = await inAnHour(id);
    const start = (await row(run.id)).scheduledTime.getTime();
    const warm = new WarmRuns(api.platform.database, { now: () => now }, {
      add: async () => {},
    } as unknown as EnqueueRuns);
    let now = start - 2_001;
    expect(await warm.runOnce()).toBe(Infinity);
    for (now of [start - 2_000, start - 1]) expect(await warm.runOnce()).toBe(start);
    expect(await coldOnes()).toEqual([run.id]);
    now = start;
    expect(await warm.runOnce()).toBe(Infinity);
    expect(await coldOnes()).toEqual([]);
    expect(await row(run.id)).toMatchObject({ status: 'SCHEDULED', wakeAt: new Date(start + 30_000) });
    expect(await counters(id)).toMatchObject({ activeRuns: 1, queuedRuns: 0, lastRunId: run.id });
  });

  it('is not overslept when it starts while another is admitted', async () => {
    const { id } = await create();
    const [first, second] = [later(HOUR_MS), later(HOUR_MS + 20)];
    for (const start_time of [first, second]) await trigger(id, { start_time });
    let now = first.getTime() - 1_000;
    const enqueue = { add: (runs: unknown[]) => Promise.resolve(runs.length > 0 && (now += 50)) };
    const warm = new WarmRuns(api.platform.database, { now: () => now }, enqueue as unknown as EnqueueRuns);
    expect(await warm.runOnce()).toBe(first.getTime());
    now = first.getTime();
    expect(await warm.runOnce()).toBe(second.getTime());
    expect(now).toBeGreaterThan(second.getTime());
    expect(await coldOnes()).toHaveLength(1);
    expect(await warm.runOnce()).toBe(Infinity);
    expect(await coldOnes()).toEqual([]);
  });

  it('does not wait for those before it that somebody else is admitting', async () => {
    const [one, other] = [await create({ max_concurrency: 0 }), await create({ max_concurrency: 0 })];
    const of = ({ name }: { name: string }, count: number, ms: number) =>
      Array(count).fill({ type: name, start_time: later(HOUR_MS + ms) });
    await api.http.post('/jobs/batch', { jobs: [...of(one, 500, -1_000), ...of(other, 100, 0)] });
    await inSqlTransaction(api.platform.database, async (sql) => {
      const first = await nextColdRuns(api.platform.database, anHourOn(), 500);
      expect((await takeColdRuns(sql, first)).rows).toHaveLength(500);
      expect(await warmAt(anHourOn())).toHaveLength(100);
    });
    expect(await warmAt(anHourOn())).toHaveLength(500);
  });

  it('lets those pass that come before it: they are called first', async () => {
    const { id } = await create({ target_url: `${target.url}/{{payload}}`, max_concurrency: 1 });
    const scheduler = await startApi(stack, { SCHEDULER: 'enabled' });
    try {
      const start = later(1_500);
      const first = await trigger(id, { payload: 'later', start_time: start });
      const second = await trigger(id, { payload: 'now' });
      expect([first.status, second.status]).toEqual(['SCHEDULED', 'SCHEDULED']);
      await closed(first.id);
      expect(target.calls.map((call) => call.path)).toEqual(['/now', '/later']);
      // Each process has its own idea of the database's clock.
      expect(target.calls[1].startedAt).toBeGreaterThanOrEqual(start.getTime() - 50);
    } finally {
      await scheduler.stop();
    }
  });

  it.each(['SKIP', 'CANCEL_PREV'])(
    'is nothing to a tick that comes before it, by overlap %s',
    async (overlap_action) => {
      const { id } = await create({ cron_expr: '0 0 0 1 1 *', overlap_action, max_concurrency: 0 });
      const tickAt = Math.ceil(api.platform.clock.now() / 1000) * 1000 + HOUR_MS;
      const run = await trigger(id, { start_time: new Date(tickAt + 1_200) });
      await warmAt(tickAt - 500);
      await client().taskState.update({ where: { taskId: BigInt(id) }, data: { nextFireAt: new Date(tickAt) } });
      expect(await tickAtTime(tickAt).runOnce()).toMatchObject({ runs: 1 });
      expect(await row(`${tickAt / 1000}-${id}`)).toMatchObject({ status: 'SCHEDULED', skipReason: null });
      expect(await row(run.id)).toMatchObject({ status: 'SCHEDULED', wakeAt: null });
      expect(await warmAt(tickAt + 1_200)).toMatchObject([{ id: run.id }]);
    },
  );

  it.each(['SKIP', 'CANCEL_PREV'])(
    'is minded by a second that was admitted ahead, by overlap %s',
    async (overlap_action) => {
      const { id } = await create({ cron_expr: '0 0 0 1 1 *', overlap_action, max_concurrency: 0 });
      const tickAt = Math.ceil(api.platform.clock.now() / 1000) * 1000 + HOUR_MS;
      const run = await trigger(id, { start_time: new Date(tickAt - 100) });
      await client().taskState.update({ where: { taskId: BigInt(id) }, data: { nextFireAt: new Date(tickAt) } });
      await tickAtTime(tickAt - 500).admitAhead(tickAt, []);
      expect(await warmAt(tickAt - 100)).toMatchObject([{ id: run.id }]);
      await tickAtTime(tickAt).runOnce();
      const ended = { SKIP: `${tickAt / 1000}-${id}`, CANCEL_PREV: run.id }[overlap_action]!;
      expect(await row(ended)).toMatchObject(
        overlap_action === 'SKIP' ? { status: 'SKIPPED', skipReason: 'OVERLAP' } : { errorCode: 'REPLACED' },
      );
      expect(await counters(id)).toMatchObject({ activeRuns: 1, queuedRuns: 0 });
    },
  );

  it('leaves a second that was admitted ahead to be taken back by whoever disables the task', async () => {
    const { id } = await create({ cron_expr: '0 0 0 1 1 *', max_concurrency: 2 });
    const tickAt = Math.ceil(api.platform.clock.now() / 1000) * 1000 + HOUR_MS;
    const run = await trigger(id, { start_time: new Date(tickAt - 100) });
    await client().taskState.update({ where: { taskId: BigInt(id) }, data: { nextFireAt: new Date(tickAt) } });
    await tickAtTime(tickAt - 500).admitAhead(tickAt, []);
    await warmAt(tickAt - 100);
    expect(await counters(id)).toMatchObject({ activeRuns: 2 });
    expect((await api.http.post(`/tasks/${id}/disable`)).status).toBe(200);
    expect(await counters(id)).toMatchObject({ activeRuns: 1, lastRunId: run.id });
    expect(await client().taskRun.count({ where: { id: `${tickAt / 1000}-${id}` } })).toBe(0);
  });

  it('comes before a second that was admitted ahead, when it starts before that', async () => {
    const { id } = await create({ cron_expr: '0 0 0 1 1 *' });
    const tickAt = Math.ceil(api.platform.clock.now() / 1000) * 1000 + HOUR_MS;
    const run = await trigger(id, { start_time: new Date(tickAt - 100) });
    await client().taskState.update({ where: { taskId: BigInt(id) }, data: { nextFireAt: new Date(tickAt) } });
    await tickAtTime(tickAt - 500).admitAhead(tickAt, []);
    expect(await counters(id)).toMatchObject({ activeRuns: 1, lastRunId: `${tickAt / 1000}-${id}` });
    expect(await warmAt(tickAt - 100)).toMatchObject([{ id: run.id }]);
    expect(await counters(id)).toMatchObject({ activeRuns: 1, nextFireAt: new Date(tickAt), lastRunId: run.id });
  });

  it.each<[string, object, string[], object]>([
    ['waits in line', { concurrency_policy: 'QUEUE' }, ['SCHEDULED', 'QUEUED'], { activeRuns: 1, queuedRuns: 1 }],
    ['finds the line full', { queue_limit: 0 }, ['SCHEDULED', 'QUEUE_FULL'], { activeRuns: 1, queuedRuns: 0 }],
    ['is skipped', { concurrency_policy: 'SKIP' }, ['SCHEDULED', 'CONCURRENCY'], { activeRuns: 1, queuedRuns: 0 }],
    [
      'runs beside it',
      { concurrency_policy: 'PARALLEL' },
      ['SCHEDULED', 'SCHEDULED'],
      { activeRuns: 2, queuedRuns: 0 },
    ],
  ])('that finds the slot taken %s', async (_title, fields, expected, counts) => {
    const { id } = await create({ max_concurrency: 1, ...fields });
    const start_time = later(HOUR_MS);
    const [first, second] = [await trigger(id, { start_time }), await trigger(id, { start_time })];
    await warmAt(anHourOn());
    const rows = [await row(first.id), await row(second.id)];
    expect(rows.map((run) => run.skipReason ?? run.status)).toEqual(expected);
    expect(await counters(id)).toMatchObject(counts);
    if (rows[1].status === 'SKIPPED') {
      expect(rows[1]).toMatchObject({ blockedBy: first.id, finishedAt: expect.any(Date), wakeAt: null });
    }
  });

  it('is admitted by its task as it is then', async () => {
    const { id } = await create();
    const run = await inAnHour(id);
    const retry_policy_json = { strategy: 'fixed', max_attempts: 5, interval_seconds: 1 };
    await api.http.patch(`/tasks/${id}`, { retry_policy_json, max_lateness_seconds: 7 });
    await warmAt(anHourOn());
    const { maxAttempts, startBefore, scheduledTime } = await row(run.id);
    expect([maxAttempts, startBefore]).toEqual([5, new Date(scheduledTime.getTime() + 7_000)]);
  });

  it('that is too late when it is admitted is skipped, and takes no slot', async () => {
    const { id } = await create({ max_lateness_seconds: 60 });
    const run = await inAnHour(id);
    expect(await warmAt(anHourOn() + 61_000)).toEqual([]);
    expect(await row(run.id)).toMatchObject({ status: 'SKIPPED', skipReason: 'LATE' });
    expect(await counters(id)).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
  });

  it('is cancelled when its task is deleted, however many there are, with all others', async () => {
    const { id, name } = await create({ target_url: `${target.url}/hang`, max_concurrency: 1 });
    const cold = Array(1000).fill({ type: name, start_time: later(HOUR_MS) });
    await api.http.post('/jobs/batch', { jobs: cold });
    const now = { type: name };
    await api.http.post('/jobs/batch', { jobs: [...cold.slice(0, 7), now, now] });
    expect((await api.http.delete(`/tasks/${id}`)).status).toBe(204);
    const states = await client().taskRun.groupBy({
      ...{ by: ['status', 'errorCode'], where: { taskId: BigInt(id) }, _count: true },
    });
    expect(states).toEqual([{ status: 'CANCELED', errorCode: 'TASK_DELETED', _count: 1009 }]);
    expect(await coldOnes()).toEqual([]);
  }, 30_000);

  it('is cancelled when its task is deleted while it is being admitted', async () => {
    const { id } = await create();
    const run = await inAnHour(id);
    const text = `UPDATE tasks SET deleted = true, live_name = NULL WHERE id = ${id}`;
    let warming: Promise<RunToDispatch[]> | undefined;
    await inSqlTransaction(api.platform.database, async (sql) => {
      await lockTask(sql, 'default', BigInt(id));
      // It takes the run and waits for the task, which is gone when it gets it.
      warming = warmAt(anHourOn());
      await sql.run({ postgresql: text, mysql: text });
    });
    expect(await warming).toEqual([]);
    expect(await row(run.id)).toMatchObject({ status: 'CANCELED', errorCode: 'TASK_DELETED' });
    expect(await coldOnes()).toEqual([]);
  });

  it('stays when its task is disabled', async () => {
    const { id } = await create();
    const run = await inAnHour(id);
    await api.http.post(`/tasks/${id}/disable`);
    expect(await warmAt(anHourOn())).toMatchObject([{ id: run.id }]);
  });

  it('that was called off meanwhile is forgotten', async () => {
    const { id } = await create();
    const run = await inAnHour(id);
    await client().taskRun.update({ where: { id: run.id }, data: { status: 'CANCELED', finishedAt: new Date() } });
    expect(await warmAt(anHourOn())).toEqual([]);
    expect([await coldOnes(), (await row(run.id)).status]).toEqual([[], 'CANCELED']);
    expect(await counters(id)).toMatchObject({ activeRuns: 0 });
  });

  it('is admitted once however many schedulers look, and all of them are', async () => {
    const { id, name } = await create({ max_concurrency: 0 });
    const job = { type: name, start_time: later(HOUR_MS) };
    await api.http.post('/jobs/batch', { jobs: Array(1000).fill(job) });
    const told = (await Promise.all([1, 2, 3].map(() => warmAt(anHourOn())))).flat();
    expect(told).toHaveLength(1000);
    expect(new Set(told.map((run) => run.id)).size).toBe(1000);
    expect(await counters(id)).toMatchObject({ activeRuns: 1000, queuedRuns: 0 });
    expect(await coldOnes()).toEqual([]);
  }, 30_000);

  it('starts at its time, by a scheduler that polls rarely and a worker', async () => {
    const scheduler = await startApi(stack, { SCHEDULER: 'enabled', POLL_INTERVAL_MS: '60000' });
    try {
      const { id } = await create();
      const start = later(6_000);
      const run = await trigger(id, { start_time: start, payload: 'now' });
      expect(await row(run.id)).toMatchObject({ status: 'SCHEDULED', wakeAt: null });
      const { startedAt } = await closed(run.id);
      // Each process has its own idea of the database's clock.
      expect(startedAt!.getTime()).toBeGreaterThanOrEqual(start.getTime() - 50);
      expect(target.calls.map((call) => call.body)).toEqual(['"now"']);
    } finally {
      await scheduler.stop();
    }
  }, 30_000);

  it('that the queue never heard of is brought by rescue like any other', async () => {
    const { id } = await create();
    const run = await inAnHour(id);
    await warmAt(anHourOn());
    await client().taskRun.update({ where: { id: run.id }, data: { wakeAt: later(-1) } });
    await client().runAlarm.updateMany({ where: { runId: run.id }, data: { at: later(-1) } });
    await worker.app.get(Rescue).runOnce();
    expect(await closed(run.id)).toMatchObject({ status: 'SUCCESS' });
  });
});
