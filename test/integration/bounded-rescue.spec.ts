import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Rescue } from '#pipeline';
import { insertTask, openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { counted } from '../support/counted.js';

/** Most that one pass acts on. */
const MOST = 1_000;

describe('a pass of rescue', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { RESCUE_INTERVAL_MS: '600000' });
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  /** Runs that should have been looked at a minute ago. */
  const overdue = async (count: number, fields: { status: string; finishedAt?: Date; wakeAt?: Date | null }) => {
    const { database, clock } = api.platform;
    const at = new Date(clock.now() - 60_000);
    const { id: taskId, name: taskName } = await insertTask(database);
    const ids = Array.from({ length: count }, (_, i) => `${1_700_000_000 + i}-${taskId}`);
    const run = { taskId, taskName, trigger: 'CRON', scheduledTime: at, queuedAt: at, traceId: '0'.repeat(32) };
    await database.client.taskRun.createMany({ data: ids.map((id) => ({ id, ...run, wakeAt: at, ...fields })) });
    await database.client.runAlarm.createMany({ data: ids.map((runId) => ({ at, runId })) });
  };
  const pass = () => api.app.get(Rescue).runOnce();

  it('acts on a bounded number of runs, and the next pass goes on with the others', async () => {
    await overdue(2 * MOST + 200, { status: 'SCHEDULED' });
    const series = 'rescued_total{kind="enqueued",reason="overdue"}';
    const before = await counted(api.platform, series);
    const enqueued = [await pass(), await pass(), await pass(), await pass()].map((report) => report.enqueued);
    expect(enqueued).toEqual([MOST, MOST, 200, 0]);
    expect(await counted(api.platform, series)).toBe(before + 2 * MOST + 200);
  });

  it('is not held up by alarms of runs that are long closed, however many', async () => {
    await overdue(2 * MOST, { status: 'SUCCESS', finishedAt: new Date(), wakeAt: null });
    await overdue(1, { status: 'SCHEDULED' });
    expect((await pass()).enqueued).toBe(1);
    expect(await api.platform.database.client.runAlarm.count({ where: { run: { status: 'SUCCESS' } } })).toBe(0);
  });

  it('looks soon again at what it has told the queue of: whoever claims it now may be lost', async () => {
    const { database, clock } = api.platform;
    await overdue(1, { status: 'SCHEDULED' });
    const { id } = await database.client.taskRun.findFirstOrThrow({
      where: { status: 'SCHEDULED' },
      orderBy: { taskId: 'desc' },
    });
    expect((await pass()).enqueued).toBe(1);
    const { wakeAt } = await database.client.taskRun.findUniqueOrThrow({ where: { id } });
    const [{ at }] = await database.client.runAlarm.findMany({ where: { runId: id } });
    expect(at.getTime() - clock.now()).toBeGreaterThan(5_000);
    expect(at.getTime() - clock.now()).toBeLessThanOrEqual(10_000);
    expect(wakeAt!.getTime() - at.getTime()).toBe(20_000);
  });

  it('looks as soon at a run that was released from its line', async () => {
    const { client } = api.platform.database;
    const body = taskBody({ name: 'in-line', max_concurrency: 1, concurrency_policy: 'QUEUE', queue_limit: 5 });
    const { data: task } = await api.http.post<{ id: string }>('/tasks', body);
    const trigger = async () =>
      (await api.http.post<{ id: string; status: string }>(`/tasks/${task.id}/runs`, {})).data;
    const [first, second] = [await trigger(), await trigger()];
    expect(second.status).toBe('QUEUED');
    expect((await api.http.post(`/runs/${first.id}/cancel`)).status).toBeLessThan(300);
    const { status, wakeAt } = await client.taskRun.findUniqueOrThrow({ where: { id: second.id } });
    const [{ at }] = await client.runAlarm.findMany({ where: { runId: second.id } });
    expect([status, wakeAt!.getTime() - at.getTime()]).toEqual(['SCHEDULED', 20_000]);
  });

  it('hears every alarm once, however many go through them at once', async () => {
    const { database } = api.platform;
    await overdue(3 * MOST, { status: 'SUCCESS', finishedAt: new Date(), wakeAt: null });
    await overdue(50, { status: 'SCHEDULED' });
    const reports = await Promise.all([pass(), pass(), pass(), pass()]);
    expect(reports.reduce((sum, report) => sum + report.enqueued, 0)).toBe(50);
    expect(await database.client.runAlarm.count({ where: { run: { status: 'SUCCESS' } } })).toBe(0);
  });

  it('hears alarms that somebody else had taken and gives back', async () => {
    const { database, clock } = api.platform;
    await overdue(30, { status: 'SCHEDULED' });
    const held = await database.client.runAlarm.findMany({
      where: { at: { lt: new Date(clock.now()) } },
      orderBy: { runId: 'asc' },
      skip: 10,
      take: 5,
    });
    const names = held.map((alarm) => `'${alarm.runId}'`).join();
    const lock = `SELECT run_id FROM run_alarms WHERE run_id IN (${names}) FOR UPDATE`;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let holds: () => void = () => undefined;
    const holding = new Promise<void>((resolve) => (holds = resolve));
    const holder = database.driver
      .transaction(async (sql) => {
        await sql.rows({ postgresql: lock, mysql: lock });
        holds();
        await released;
        throw new Error('takes it back');
      })
      .catch(() => undefined);
    await holding;
    const during = pass();
    setTimeout(release, 300);
    await holder;
    expect((await during).enqueued + (await pass()).enqueued).toBe(30);
  });

  it('leaves runs in peace that have until later, with one alarm each, for then', async () => {
    const { client } = api.platform.database;
    const wakeAt = new Date(Math.ceil(api.platform.clock.now() / 1000) * 1000 + 20_000);
    await overdue(MOST + 200, { status: 'RETRYING', wakeAt });
    await client.runAlarm.createMany({
      data: [{ at: new Date(0), runId: (await client.taskRun.findFirstOrThrow({ where: { wakeAt } })).id }],
    });
    expect(await pass()).toEqual({ enqueued: 0, nodeLost: 0, late: 0, expired: 0, leasesExpired: 0 });
    expect(await client.runAlarm.count({ where: { run: { status: 'RETRYING' } } })).toBe(MOST + 200);
    expect(await client.runAlarm.count({ where: { at: wakeAt } })).toBe(MOST + 200);
    expect(await client.taskRun.count({ where: { status: 'RETRYING', wakeAt } })).toBe(MOST + 200);
  });
});
