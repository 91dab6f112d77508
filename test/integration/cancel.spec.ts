import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CancelWatch, EnqueueRuns, RunPool } from '#pipeline';
import { eventually, gate, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { movedBy, runsTotal } from '../support/counted.js';
import { type RunningWorker, startWorker, tickOn } from '../support/product.js';

interface RunAnswer {
  id: string;
  status: string;
  error_code: string | null;
  error_info: string | null;
  finished_at: string | null;
  detail: string;
  attempts: { outcome: string; error_code: string; exec_id: string }[];
}

describe('cancelling', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/hang', { hang: true }).on('/away', { status: 503 });
    worker = await startWorker(stack, { LEASE_SECONDS: '3600' });
    api = await startApi(stack);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  const client = () => api.platform.database.client;
  const runOf = (id: string) => client().taskRun.findUniqueOrThrow({ where: { id } });
  const becomes = (id: string, status: string) =>
    eventually(async () => (await runOf(id)).status === status, `${id} is ${status}`);
  const counters = (taskId: string) => client().taskState.findUniqueOrThrow({ where: { taskId: BigInt(taskId) } });
  const create = async (path: string, fields: object = {}): Promise<string> => {
    const body = taskBody({ target_url: `${target.url}${path}`, timeout_seconds: 600, ...fields });
    return (await api.http.post<{ id: string }>('/tasks', body)).data.id;
  };
  const trigger = async (taskId: string): Promise<string> =>
    (await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`)).data.id;
  const cancel = (id: string, body?: object) => api.http.post<RunAnswer>(`/runs/${id}/cancel`, body);
  const callOf = (runId: string) => target.calls.find((call) => call.runId === runId);
  const NONE = { activeRuns: 0, queuedRuns: 0 };

  describe('without watch and leases, when only the signal can abort a call, at once or never', () => {
    beforeAll(async () => {
      await worker.app.get(CancelWatch).stop();
      await signalsArrive();
    });
    afterAll(() => worker.app.get(CancelWatch).start());

    const signalsArrive = async () => {
      const heard = jest.spyOn(worker.app.get(RunPool), 'disown');
      const send = () => api.platform.queue.signals.send({ cancel: [{ id: '1000000000-1', execId: 'none' }] });
      await eventually(() => Promise.resolve(heard.mock.calls.length > 0 || void send()), 'the worker hears signals');
      heard.mockRestore();
    };

    it('a RUNNING run aborts its request at once, and leaves an attempt that says so', async () => {
      const taskId = await create('/hang');
      const id = await trigger(taskId);
      await target.waitFor(1);
      const { status, data } = await cancel(id, { reason: 'by mistake' });
      expect(status).toBe(200);
      expect(data).toMatchObject({ id, status: 'CANCELED', error_code: 'CANCELED', error_info: 'by mistake' });
      expect(data.attempts).toMatchObject([{ attempt: 1, outcome: 'CANCELED', error_code: 'CANCELED' }]);
      await target.waitFor(() => callOf(id)?.aborted === true);
      expect(await counters(taskId)).toMatchObject(NONE);
    });

    it('a result that comes back all the same changes nothing', async () => {
      const { opened, open } = gate();
      target.on('/held', { after: opened });
      const id = await trigger(await create('/held'));
      await target.waitFor(1);
      await client().taskRun.update({ where: { id }, data: { status: 'CANCELED', finishedAt: new Date(0) } });
      open();
      await worker.app.get(RunPool).drained();
      expect((await cancel(id)).data).toMatchObject({ status: 'CANCELED', finished_at: new Date(0).toISOString() });
      expect(callOf(id)!.aborted).not.toBe(true);
    });
  });

  it('gives the slot to the next in line', async () => {
    const taskId = await create('/hang');
    const [first, second] = [await trigger(taskId), await trigger(taskId)];
    await target.waitFor(1);
    await cancel(first);
    await target.waitFor((calls) => calls.some((call) => call.runId === second));
    expect(await counters(taskId)).toMatchObject({ activeRuns: 1, queuedRuns: 0 });
    await cancel(second);
  });

  it('takes a QUEUED run out of the line', async () => {
    const taskId = await create('/hang');
    const [first, second, third] = [await trigger(taskId), await trigger(taskId), await trigger(taskId)];
    await target.waitFor(1);
    expect((await cancel(second)).data).toMatchObject({ status: 'CANCELED', attempts: [] });
    expect(await counters(taskId)).toMatchObject({ activeRuns: 1, queuedRuns: 1 });
    await cancel(first);
    await target.waitFor((calls) => calls.some((call) => call.runId === third));
    expect(callOf(second)).toBeUndefined();
    await cancel(third);
  });

  it('ends the waiting of a RETRYING run', async () => {
    const retry = { strategy: 'fixed', interval_seconds: 600, max_attempts: 3 };
    const taskId = await create('/away', { retry_policy_json: retry });
    const id = await trigger(taskId);
    await becomes(id, 'RETRYING');
    expect((await cancel(id)).data).toMatchObject({ status: 'CANCELED' });
    expect(await counters(taskId)).toMatchObject(NONE);
  });

  it('keeps a SCHEDULED run from ever being called', async () => {
    const due = secondOf(api.platform.clock.now());
    const task = await insertTask(api.platform.database, {
      ...{ name: `due-${due.getTime()}`, cronExpr: '0 0 0 1 1 *', nextFireAt: due, targetUrl: `${target.url}/ok` },
    });
    const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
    await tickOn(api.platform, deaf).runOnce();
    const id = `${due.getTime() / 1000}-${task.id}`;
    expect((await cancel(id)).data).toMatchObject({ status: 'CANCELED', attempts: [] });
    await worker.app.get(EnqueueRuns).add([{ id, priority: 0, dueAt: due.getTime() }]);
    const next = await trigger(String(task.id));
    await becomes(next, 'SUCCESS');
    expect(target.calls.map((call) => call.runId)).toEqual([next]);
  });

  it('forgets a run whose start is far away, which held no slot', async () => {
    const taskId = await create('/ok');
    const start_time = new Date(api.platform.clock.now() + 3_600_000);
    const { data } = await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`, { start_time });
    expect((await cancel(data.id)).data).toMatchObject({ status: 'CANCELED', attempts: [] });
    expect(await counters(taskId)).toMatchObject(NONE);
    const listed = await api.http.get<{ items: unknown[] }>(`/tasks/${taskId}/runs?status=SCHEDULED`);
    expect(listed.data.items).toEqual([]);
  });

  it('twice is no mistake; what came to another end is a conflict that names it', async () => {
    const id = await trigger(await create('/ok'));
    await becomes(id, 'SUCCESS');
    const { status, data } = await cancel(id);
    expect([status, data.detail]).toEqual([409, expect.stringContaining('SUCCESS')]);
    const canceled = await trigger(await create('/hang'));
    await target.waitFor(2);
    expect((await cancel(canceled)).status).toBe(200);
    expect((await cancel(canceled)).status).toBe(200);
  });

  it('what is not there is not found', async () => {
    expect((await cancel('1767225600-999999')).status).toBe(404);
    expect((await cancel('1767225600-1', { why: 'x' })).status).toBe(422);
  });

  it('by deleting the task aborts what runs and empties the line', async () => {
    const taskId = await create('/hang');
    const ids = [await trigger(taskId), await trigger(taskId), await trigger(taskId)];
    await target.waitFor(1);
    const series = [runsTotal('CANCELED', 'MANUAL', 'TASK_DELETED')];
    const counted = await movedBy(api.platform, series, async () => {
      expect((await api.http.delete(`/tasks/${taskId}`)).status).toBe(204);
    });
    expect(counted).toEqual([3]);
    await target.waitFor(() => callOf(ids[0])?.aborted === true);
    for (const id of ids) expect(await runOf(id)).toMatchObject({ status: 'CANCELED', errorCode: 'TASK_DELETED' });
    expect(await counters(taskId)).toMatchObject(NONE);
  });

  it.each([
    ['raising max_concurrency', { max_concurrency: 3 }, 2, 3],
    ['lifting the limit', { max_concurrency: 0 }, 3, 4],
    ['PARALLEL', { concurrency_policy: 'PARALLEL' }, 3, 4],
  ])('%s lets those in at once who have waited longest', async (_title, change, released, active) => {
    const taskId = await create('/hang');
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await trigger(taskId));
    await target.waitFor(1);
    const waiting = ids.slice(1).sort();
    expect((await api.http.patch(`/tasks/${taskId}`, change)).data).toMatchObject({
      active_runs: active,
      queued_runs: 4 - active,
    });
    await target.waitFor(1 + released);
    const called = target.calls.slice(1).map((call) => call.runId);
    expect(called.sort()).toEqual(waiting.slice(0, released));
    await api.http.delete(`/tasks/${taskId}`);
  });

  it('disabling a task keeps those who wait', async () => {
    const taskId = await create('/hang');
    const [first, second] = [await trigger(taskId), await trigger(taskId)];
    await target.waitFor(1);
    await api.http.post(`/tasks/${taskId}/disable`);
    expect(await runOf(second)).toMatchObject({ status: 'QUEUED' });
    await cancel(first);
    await target.waitFor((calls) => calls.some((call) => call.runId === second));
    await cancel(second);
  });
});
