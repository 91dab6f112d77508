import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimNotice } from '#database';
import { DeliverNotice, RescueNotices } from '#pipeline';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

const NOTICES = 40;
const HUNG = 10;

describe('notices and several workers', () => {
  let stack: Stack;
  let api: RunningApi;
  let workers: RunningWorker[];
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    const env = {
      NOTIFY_RETRY_SECONDS: Array(40).fill(0).join(),
      NOTIFY_CONCURRENCY: '5',
      NOTIFY_TIMEOUT_SECONDS: '2',
    };
    workers = [await startWorker(stack, env), await startWorker(stack, env)];
  });

  afterAll(async () => {
    await Promise.all((workers ?? []).map((worker) => worker.stop()));
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const createTask = async (path: string) =>
    (
      await api.http.post(
        '/tasks',
        taskBody({
          target_url: `${target.url}/work`,
          max_concurrency: 0,
          notify: { success: { url: target.url + path } },
        }),
      )
    ).data;
  const trigger = async (id: string) => (await api.http.post(`/tasks/${id}/runs`)).data.id as string;
  const allOf = (taskId: string) => api.platform.database.client.outbox.findMany({ where: { taskId: BigInt(taskId) } });
  const deliveredOf = (taskId: string, count: number) =>
    eventually(
      async () => {
        const rows = await allOf(taskId);
        return rows.length === count && rows.every((row) => row.status === 'DELIVERED') && rows;
      },
      'all are delivered',
      60_000,
    );

  it('each is sent once, whoever is told of it, however often', async () => {
    const task = await createTask('/once');
    for (let i = 0; i < NOTICES; i++) await trigger(task.id);
    const rows = await eventually(async () => {
      const written = await allOf(task.id);
      return written.length === NOTICES && written;
    }, 'all are written');
    // Everybody is told of everything again, on top of what the queue does.
    const everybody = workers.flatMap((worker) => rows.map(({ id }) => worker.app.get(DeliverNotice).deliver(id)));
    await Promise.all(everybody);
    await deliveredOf(task.id, NOTICES);
    const ids = target.callsTo('/once').map((call) => call.headers['webhook-id']);
    expect(ids).toHaveLength(NOTICES);
    expect(new Set(ids)).toEqual(new Set(rows.map(({ id }) => id)));
    const { client } = api.platform.database;
    expect(await client.taskRun.count({ where: { taskId: BigInt(task.id), status: 'SUCCESS' } })).toBe(NOTICES);
  });

  it('one that a worker was sending when it died is sent by another, as the next try', async () => {
    const task = await createTask('/died');
    target.on('/died', (_call, nth) => (nth === 1 ? { status: 500 } : {}));
    const { database, clock } = api.platform;
    const { client } = database;
    await client.task.update({ where: { id: BigInt(task.id) }, data: { notify: {} } });
    const id = `msg_${Math.floor(clock.now()).toString(16)}dead`;
    const runId = await trigger(task.id);
    const now = new Date(clock.now());
    await client.outbox.create({
      data: {
        ...{ id, kind: 'success', runId, taskId: BigInt(task.id), url: `${target.url}/died`, runStatus: 'SUCCESS' },
        ...{ runAttempt: 1, endedAt: now, createdAt: now, nextAttemptAt: now },
      },
    });
    // Claimed, and then nothing: the lease is over soon, and rescue tells the queue.
    expect(await claimNotice(database, id, clock.now(), 200)).toMatchObject({ attempts: 1 });
    expect(await claimNotice(database, id, clock.now() - 1_000, 200)).toBeNull();
    const rescue = new RescueNotices(
      database,
      clock,
      workers[0].app.get(RescueNotices)['enqueue'],
      api.platform.metrics,
      0,
    );
    await eventually(async () => {
      await rescue.runOnce();
      return (await client.outbox.findUniqueOrThrow({ where: { id } })).status === 'DELIVERED';
    }, 'it is delivered');
    expect(await client.outbox.findUniqueOrThrow({ where: { id } })).toMatchObject({ attempts: 3, claimId: null });
    expect(target.callsTo('/died').map((call) => call.headers['x-punctual-delivery-attempt'])).toEqual(['2', '3']);
  });

  it('a receiver that hangs does not keep the notices of others', async () => {
    const [hung, other] = [await createTask('/hung'), await createTask('/quick')];
    const elsewhere = await TargetStub.start();
    elsewhere.on('*', { hang: true });
    const notify = { success: { url: `${elsewhere.url}/hung` } };
    await api.http.patch(`/tasks/${hung.id}`, { notify });
    for (let i = 0; i < HUNG; i++) await trigger(hung.id);
    await elsewhere.waitFor(2);
    const runId = await trigger(other.id);
    await deliveredOf(other.id, 1);
    expect((await api.http.get(`/runs/${runId}`)).data.status).toBe('SUCCESS');
    expect((await allOf(hung.id)).filter((row) => row.status === 'DELIVERED')).toEqual([]);
    elsewhere.on('*', {});
    await deliveredOf(hung.id, HUNG);
    await elsewhere.close();
  });

  it('a worker that stops hands back what it is sending, and the try does not count', async () => {
    const task = await createTask('/slow');
    target.on('/slow', (_call, nth) => (nth === 1 ? { hang: true } : {}));
    const runId = await trigger(task.id);
    await target.waitFor((calls) => calls.some((call) => call.path === '/slow'));
    for (const worker of workers) worker.app.get(DeliverNotice).stop();
    const where = { runId };
    const row = await eventually(
      () => api.platform.database.client.outbox.findFirst({ where: { ...where, claimId: null, attempts: 0 } }),
      'it is handed back',
    );
    expect(row).toMatchObject({ status: 'PENDING', lastError: 'the worker stopped while it was sending' });
    workers.push(await startWorker(stack));
    await eventually(
      () => api.platform.database.client.outbox.findFirst({ where: { ...where, status: 'DELIVERED', attempts: 1 } }),
      'another worker delivers it',
    );
  });
});
