import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALERT_KINDS } from '#domain';
import { EnqueueRuns, SettleGroup } from '#pipeline';
import { eventually, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { bodyOf, isSignedWith } from '../support/notices.js';
import { type RunningWorker, startWorker, tickOn } from '../support/product.js';

const SK = 'the deployment’s own key';

describe('alerts', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let env: Record<string, string>;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/bad', { status: 500 });
    env = {
      ...{ ALERT_URL: `${target.url}/alerts?from=test`, ALERT_SK: SK, ALERT_LATENESS_SECONDS: '30' },
      ...{ NOTIFY_RETRY_SECONDS: '0,0', RESCUE_INTERVAL_MS: '300' },
    };
    api = await startApi(stack, env);
    worker = await startWorker(stack, env);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const create = async (fields: object) =>
    (await api.http.post('/tasks', taskBody({ target_url: `${target.url}/bad`, ...fields }))).data.id as string;
  const run = async (taskId: string) => (await api.http.post(`/tasks/${taskId}/runs`)).data.id as string;
  const isOver = (id: string) =>
    eventually(async () => !/RUNNING|SCHEDULED|QUEUED/.test((await api.http.get(`/runs/${id}`)).data.status), 'it ran');
  const alertsOf = (taskId: string) =>
    target
      .callsTo('/alerts')
      .map(bodyOf)
      .filter((body) => body.task_id === taskId);
  const alerted = (taskId: string) =>
    eventually(() => Promise.resolve(alertsOf(taskId).length > 0 && alertsOf(taskId)), `an alert of task ${taskId}`);

  it('failures of a task are told together, signed; runs that wait for a person apart from them', async () => {
    const failing = await create({ max_concurrency: 0 });
    const ids = await Promise.all(Array.from({ length: 12 }, () => run(failing)));
    for (const id of ids) await isOver(id);
    const pending = await create({ need_manual: true });
    const waiting = await run(pending);
    const told = await alerted(failing);
    // Twelve runs end within two minutes at most, whatever the machine is doing.
    expect(told.length).toBeLessThanOrEqual(2);
    expect(told[0]).toMatchObject({ event: 'alert', alert: 'failure', status: 'FAILED', error_code: 'HTTP_500' });
    expect(ids).toContain(told[0].run_id);
    expect((await alerted(pending))[0]).toMatchObject({
      alert: 'pending',
      run_id: waiting,
      count: 1,
      status: 'PENDING',
    });
    const rows = await eventually(async () => {
      const { data } = await api.http.get('/deliveries', { params: { task_id: failing } });
      return data.items.every((item: { status: string }) => item.status === 'DELIVERED') && data.items;
    }, 'all are delivered');
    expect(rows.reduce((sum: number, row: { alert_count: number }) => sum + row.alert_count, 0)).toBe(12);
    expect(rows[0]).toMatchObject({ kind: 'alert', alert: 'failure', url: null });
    for (const call of target.callsTo('/alerts')) {
      expect(isSignedWith(SK, call)).toEqual({ own: true, standard: true });
    }
    expect((await api.http.get(`/runs/${ids[0]}`)).data.deliveries).toEqual([]);
  });

  it('runs that are skipped because they are too late are told as late', async () => {
    const { platform } = api;
    const { database, clock } = platform;
    const fields = { targetUrl: `${target.url}/good`, cronExpr: '0 0 0 1 1 *', maxLatenessSeconds: 20 };
    const nextFireAt = secondOf(clock.now());
    const [due, behind] = [
      await insertTask(database, { ...fields, name: 'slow', nextFireAt }),
      await insertTask(database, { ...fields, name: 'behind', nextFireAt: new Date(nextFireAt.getTime() - 40_000) }),
    ];
    // Nobody hears of the run in time.
    const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
    await tickOn(platform, deaf, { graceSeconds: 60, alertsOn: ALERT_KINDS }).runOnce();
    const { id } = await database.client.taskRun.update({
      where: { id: `${nextFireAt.getTime() / 1000}-${due.id}` },
      data: { startBefore: new Date(clock.now() - 1_000) },
    });
    await worker.app.get(SettleGroup).skipLate([id]);
    expect((await alerted(String(due.id)))[0]).toMatchObject({ alert: 'lateness', run_id: id, status: 'SKIPPED' });
    expect((await alerted(String(behind.id)))[0]).toMatchObject({ alert: 'lateness', status: 'SKIPPED' });
  });

  it('missed ticks and runs that start too late are told; those that are on time are not', async () => {
    const { platform } = api;
    const now = platform.clock.now();
    const at = (secondsAgo: number) => secondOf(now - secondsAgo * 1000);
    const fields = { targetUrl: `${target.url}/good`, cronExpr: '0 0 0 1 1 *' };
    const good = await insertTask(platform.database, { ...fields, name: 'good', nextFireAt: at(0) });
    const late = await insertTask(platform.database, { ...fields, name: 'late', nextFireAt: at(45) });
    await tickOn(platform, worker.app.get(EnqueueRuns), { graceSeconds: 60, alertsOn: ALERT_KINDS }).runOnce();
    const missed = await insertTask(platform.database, { ...fields, name: 'missed', nextFireAt: at(600) });
    await tickOn(platform, worker.app.get(EnqueueRuns), { graceSeconds: 60, alertsOn: ALERT_KINDS }).runOnce();
    const [told] = await alerted(String(late.id));
    expect(told).toMatchObject({ alert: 'lateness', task_name: late.name, status: 'SUCCESS' });
    expect(told.lateness_ms).toBeGreaterThan(30_000);
    expect((await alerted(String(missed.id)))[0]).toMatchObject({
      ...{ alert: 'missed', missed_from: at(600).toISOString(), missed_count: 1, status: 'SKIPPED' },
    });
    expect(alertsOf(String(good.id))).toEqual([]);
  });

  it('missed ticks are told of by a scheduler as it runs, not only by one that is called', async () => {
    const scheduler = await startApi(stack, { ...env, SCHEDULER: 'enabled' });
    try {
      const nextFireAt = secondOf(scheduler.platform.clock.now() - 600_000);
      const fields = { name: 'unattended', cronExpr: '0 0 0 1 1 *', targetUrl: `${target.url}/good`, nextFireAt };
      const { id } = await insertTask(scheduler.platform.database, fields);
      const [told] = await alerted(String(id));
      expect(told).toMatchObject({ alert: 'missed', missed_from: nextFireAt.toISOString(), missed_count: 1 });
    } finally {
      await scheduler.stop();
    }
  });
});
