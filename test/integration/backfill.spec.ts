import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Backfill, EnqueueRuns, type Platform, Rescue } from '#pipeline';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { counted, runsTotal } from '../support/counted.js';
import { type RunningWorker, startWorker, tickOn } from '../support/product.js';

const HOUR = 3_600_000;
const FROM = Date.parse('2026-01-01T00:00:00Z');
const hour = (n: number) => new Date(FROM + n * HOUR).toISOString();

interface Shown {
  id: string;
  status: string;
  total: number;
  [field: string]: unknown;
}

describe('backfill', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let platform: Platform;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/ok', { body: {} }).on('/refuse', { status: 503 });
    worker = await startWorker(stack);
    api = await startApi(stack);
    platform = api.platform;
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  /** A target that refuses, but not before it is let to. */
  const holding = () => {
    const { opened, open } = gate();
    target.on('/held', { after: opened, status: 503 });
    return { fields: { target_url: `${target.url}/held`, timeout_seconds: 60 }, open };
  };

  /** Due every hour, fires never by itself while the test runs, except where it is asked to. */
  const hourly = async (fields: object = {}): Promise<{ id: string; next_fire_at: string }> => {
    const body = taskBody({ cron_expr: '0 * * * *', target_url: `${target.url}/ok`, max_concurrency: 0, ...fields });
    return (await api.http.post<{ id: string; next_fire_at: string }>('/tasks', body)).data;
  };
  const fill = (id: string, body: object, headers = {}) =>
    api.http.post<Shown>(`/tasks/${id}/backfill`, body, { headers });
  const filled = async (id: string, body: object): Promise<Shown> => {
    const { status, data } = await fill(id, body);
    expect({ status, data }).toMatchObject({ status: 202 });
    return data;
  };
  const shown = async (id: string) => (await api.http.get<Shown>(`/backfills/${id}`)).data;
  const pass = (enqueue = worker.app.get(EnqueueRuns)) =>
    new Backfill(platform.database, platform.clock, enqueue, platform.log).runOnce();
  const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
  const ended = (id: string) =>
    eventually(async () => {
      await pass();
      const backfill = await shown(id);
      return backfill.finished_at !== null && backfill;
    }, `backfill ${id} has ended`);
  const state = (id: string) => platform.database.client.taskState.findUniqueOrThrow({ where: { taskId: BigInt(id) } });
  const runs = (id: string) =>
    platform.database.client.taskRun.findMany({ where: { taskId: BigInt(id) }, orderBy: { id: 'asc' } });
  const explained = async (id: string, at: string) =>
    (await api.http.get<Shown>(`/tasks/${id}/explain`, { params: { at } })).data;

  it('runs every due second of the range once, both ends of it', async () => {
    const task = await hourly();
    const made = await filled(task.id, { from: hour(0), to: hour(6), max_parallel: 3 });
    expect(made).toMatchObject({
      status: 'RUNNING',
      total: 7,
      created: 0,
      max_parallel: 3,
      from: hour(0),
      to: hour(6),
    });
    expect(await ended(made.id)).toMatchObject({ status: 'DONE', created: 7, succeeded: 7, open: 0, cursor: hour(6) });
    const rows = await runs(task.id);
    expect(rows.map((run) => run.id)).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `${FROM / 1000 + n * 3600}-${task.id}`));
    expect(rows.every((run) => run.trigger === 'BACKFILL' && run.status === 'SUCCESS')).toBe(true);
    expect(target.calls).toHaveLength(7);
    const told = target.calls.map(({ headers }) => headers['x-punctual-scheduled-time']);
    expect(told.sort()).toEqual([0, 1, 2, 3, 4, 5, 6].map(hour));
    expect(await explained(task.id, hour(3))).toMatchObject({ answer: 'FIRED', run: { trigger: 'BACKFILL' } });
    expect(await state(task.id)).toMatchObject({ activeRuns: 0, queuedRuns: 0, lastRunId: null });

    const again = await filled(task.id, { from: hour(0), to: hour(7) });
    expect(await ended(again.id)).toMatchObject({ status: 'DONE', total: 8, existing: 7, created: 1 });
    const { data } = await api.http.get<{ items: Shown[] }>(`/tasks/${task.id}/backfills`);
    expect(data.items.map(({ id }) => id)).toEqual([again.id, made.id]);
    const first = await api.http.get<{ next_cursor: string }>(`/tasks/${task.id}/backfills?limit=1`);
    const rest = await api.http.get<object>(`/tasks/${task.id}/backfills?cursor=${first.data.next_cursor}`);
    expect(rest.data).toMatchObject({ items: [{ id: made.id }], next_cursor: null });
  });

  it('never has more than max_parallel unfinished, however many schedulers pass at once', async () => {
    const { fields, open } = holding();
    const task = await hourly(fields);
    const { id } = await filled(task.id, { from: hour(0), to: hour(3), max_parallel: 2 });
    await Promise.all([pass(), pass(), pass(), pass()]);
    await Promise.all([pass(), pass()]);
    expect(await shown(id)).toMatchObject({ created: 2, open: 2, status: 'RUNNING' });
    expect(await runs(task.id)).toHaveLength(2);
    open();
    expect(await ended(id)).toMatchObject({ status: 'DONE', created: 4, failed: 4, succeeded: 0 });
    expect(target.calls).toHaveLength(4);
  });

  it('waits in line under QUEUE, and for a slot under SKIP', async () => {
    const queue = await hourly({ max_concurrency: 1 });
    const skip = await hourly({ max_concurrency: 1, concurrency_policy: 'SKIP' });
    const [queued, waiting] = [
      await filled(queue.id, { from: hour(0), to: hour(4), max_parallel: 4 }),
      await filled(skip.id, { from: hour(0), to: hour(4), max_parallel: 4 }),
    ];
    await pass(deaf);
    expect(await state(queue.id)).toMatchObject({ activeRuns: 1, queuedRuns: 3 });
    expect((await runs(queue.id)).map((run) => run.status)).toEqual(['SCHEDULED', 'QUEUED', 'QUEUED', 'QUEUED']);
    expect(await state(skip.id)).toMatchObject({ activeRuns: 1, queuedRuns: 0 });
    expect(await shown(waiting.id)).toMatchObject({ created: 1, open: 1 });
    const heads = [await runs(queue.id), await runs(skip.id)].map(([{ id, priority }]) => ({ id, priority, dueAt: 0 }));
    await worker.app.get(EnqueueRuns).add(heads);
    expect(await ended(queued.id)).toMatchObject({ status: 'DONE', succeeded: 5 });
    expect(await ended(waiting.id)).toMatchObject({ status: 'DONE', succeeded: 5 });
    for (const task of [queue, skip]) expect(await state(task.id)).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
  });

  it('makes up for what was missed, the row that says so stays', async () => {
    const task = await hourly();
    const now = Date.parse(hour(4)) + HOUR / 2;
    await platform.database.client.taskState.update({
      where: { taskId: BigInt(task.id) },
      data: { nextFireAt: new Date(hour(2)) },
    });
    // What the tick has not decided yet is left to it.
    const { id } = await filled(task.id, { from: hour(1), to: hour(5), max_parallel: 10 });
    await pass();
    expect(await shown(id)).toMatchObject({ status: 'RUNNING', created: 1, cursor: hour(1) });
    // A tick passes by a task whose row is held: wait until the run is settled.
    await eventually(async () => (await state(task.id)).activeRuns === 0, 'the first run is settled');
    await tickOn({ ...platform, clock: { now: () => now } } as unknown as Platform, deaf).runOnce();
    expect(await explained(task.id, hour(3))).toMatchObject({ answer: 'MISSED', missed_count: 3 });
    await api.http.post(`/tasks/${task.id}/disable`);
    expect(await ended(id)).toMatchObject({ status: 'DONE', created: 5, existing: 0, succeeded: 5 });
    for (const n of [1, 2, 3, 4, 5]) {
      expect(await explained(task.id, hour(n))).toMatchObject({
        answer: 'FIRED',
        run: { trigger: 'BACKFILL', scheduled_time: hour(n) },
      });
    }
    const missed = await platform.database.client.taskRun.findFirst({
      where: { taskId: BigInt(task.id), skipReason: 'MISSED' },
    });
    expect(missed).toMatchObject({ missedCount: 3, status: 'SKIPPED' });
    const again = await filled(task.id, { from: hour(1), to: hour(5) });
    expect(await ended(again.id)).toMatchObject({ status: 'DONE', created: 0, existing: 5 });
  });

  it('is cancelled as a whole: what waits is cancelled and gives its slot away, what runs finishes', async () => {
    const { fields, open } = holding();
    const task = await hourly({ ...fields, max_concurrency: 2 });
    const { id } = await filled(task.id, { from: hour(0), to: hour(9), max_parallel: 4 });
    await pass(deaf);
    const [first, second] = await runs(task.id);
    await worker.app.get(EnqueueRuns).add([{ id: first.id, priority: 0, dueAt: 0 }]);
    await target.waitFor(1);
    const onDemand = (await api.http.post<Shown>(`/tasks/${task.id}/runs`, {})).data;
    expect(onDemand.status).toBe('QUEUED');

    const series = runsTotal('CANCELED', 'BACKFILL', 'BACKFILL_CANCELED');
    const before = await counted(api.platform, series);
    const { status, data } = await api.http.post<Shown>(`/backfills/${id}/cancel`);
    expect(await counted(api.platform, series)).toBe(before + 3);
    expect({ status, data }).toMatchObject({
      status: 200,
      data: { status: 'CANCELED', canceled: 3, open: 1, created: 4 },
    });
    expect(data.finished_at).toBeNull();
    expect((await runs(task.id)).map((run) => run.status).slice(0, 4)).toEqual([
      'RUNNING',
      'CANCELED',
      'CANCELED',
      'CANCELED',
    ]);
    expect(await state(task.id)).toMatchObject({ activeRuns: 2, queuedRuns: 0 });
    await target.waitFor(2);
    expect(target.calls[1].runId).toBe(onDemand.id);
    open();
    expect(await ended(id)).toMatchObject({ status: 'CANCELED', created: 4, failed: 1, canceled: 3, open: 0 });
    await eventually(async () => (await state(task.id)).activeRuns === 0, 'both slots are free');
    expect(target.calls.map((call) => call.runId)).not.toContain(second.id);
    const over = await api.http.post<Shown>(`/backfills/${id}/cancel`);
    expect([over.status, over.data]).toEqual([200, await shown(id)]);
  });

  it('goes on after a crash between its commit and the queue', async () => {
    const task = await hourly();
    const { id } = await filled(task.id, { from: hour(0), to: hour(1), max_parallel: 1 });
    await pass(deaf);
    const [run] = await runs(task.id);
    const at = new Date(platform.clock.now() - 1000);
    await platform.database.client.taskRun.update({ where: { id: run.id }, data: { wakeAt: at } });
    await platform.database.client.runAlarm.updateMany({ where: { runId: run.id }, data: { at } });
    await worker.app.get(Rescue).runOnce();
    expect(await ended(id)).toMatchObject({ status: 'DONE', created: 2, succeeded: 2 });
    expect(target.calls).toHaveLength(2);
  });

  it('ends with its task', async () => {
    const task = await hourly();
    const { id } = await filled(task.id, { from: hour(0), to: hour(9), max_parallel: 4 });
    await pass(deaf);
    await api.http.delete(`/tasks/${task.id}`);
    expect(await ended(id)).toMatchObject({ status: 'CANCELED', created: 4, canceled: 4 });
  });

  it('answers the same to the same Idempotency-Key', async () => {
    const task = await hourly();
    const headers = { 'idempotency-key': `fill-${task.id}` };
    const [one, two] = [1, 2].map(() => fill(task.id, { from: hour(0), to: hour(1) }, headers));
    expect((await one).data).toEqual((await two).data);
    expect((await one).headers.location).toBe(`/api/v1/backfills/${(await one).data.id}`);
    expect((await fill(task.id, { from: hour(0), to: hour(2) }, headers)).status).toBe(409);
    await ended((await one).data.id);
  });

  it('refuses ranges that cannot be, and says how many seconds there are', async () => {
    const task = await hourly();
    const many = await fill(task.id, { from: hour(-20_000), to: hour(0) });
    expect([many.status, fieldsOf(many)]).toEqual([422, ['to']]);
    expect(JSON.stringify(many.data)).toContain('20001 due seconds');
    const cases: [object, string][] = [
      [{ from: hour(1), to: hour(0) }, 'from'],
      [{ from: hour(0), to: new Date(platform.clock.now() + HOUR).toISOString() }, 'to'],
      [{ from: hour(0) }, 'to'],
      [{ from: hour(0), to: hour(1), max_parallel: 101 }, 'max_parallel'],
      [{ from: hour(0), to: hour(1), parallel: 1 }, 'parallel'],
    ];
    for (const [body, field] of cases) {
      const response = await fill(task.id, body);
      expect([response.status, fieldsOf(response)]).toEqual([422, [field]]);
    }
    const onDemand = await hourly({ cron_expr: null });
    expect(fieldsOf(await fill(onDemand.id, { from: hour(0), to: hour(1) }))).toEqual(['cron_expr']);
    expect((await fill('999999', { from: hour(0), to: hour(1) })).status).toBe(404);
    for (const id of ['999999', 'x']) expect((await api.http.get(`/backfills/${id}`)).status).toBe(404);
    expect((await api.http.post('/backfills/999999/cancel')).status).toBe(404);
    expect(await filled(task.id, { from: hour(0.1), to: hour(0.9) })).toMatchObject({ status: 'DONE', total: 0 });
  });

  it('is carried by the scheduler', async () => {
    const task = await hourly();
    const { id } = await filled(task.id, { from: hour(0), to: hour(3), max_parallel: 2 });
    const scheduler = await startApi(stack, { SCHEDULER: 'enabled' });
    try {
      const done = await eventually(async () => {
        const backfill = await shown(id);
        return backfill.status === 'DONE' && backfill;
      }, 'the scheduler has brought them back');
      expect(done).toMatchObject({ created: 4, succeeded: 4 });
    } finally {
      await scheduler.stop();
    }
  });
});
