import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimRuns, settleRuns } from '#database';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { bodyOf, isSignedWith } from '../support/notices.js';
import { type RunningWorker, startWorker } from '../support/product.js';

/** Four tries, all of them soon. */
const QUICK = { NOTIFY_RETRY_SECONDS: '0,0,0', NOTIFY_TIMEOUT_SECONDS: '2', RESCUE_INTERVAL_MS: '300' };
let count = 0;

describe('notices', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/good', { body: { answer: 42 } }).on('/bad', { status: 500, body: 'broken' });
    api = await startApi(stack);
    worker = await startWorker(stack, QUICK);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  /** A path nobody else uses. */
  const place = (what = 'told') => `/${what}-${++count}`;
  const create = async (fields: object) =>
    (await api.http.post('/tasks', taskBody({ target_url: `${target.url}/good`, ...fields }))).data;
  const told = (path: string, kind = 'success') => ({ [kind]: { url: `${target.url}${path}` } });
  const trigger = async (id: string, body: object = {}) =>
    (await api.http.post(`/tasks/${id}/runs`, body)).data.id as string;
  const readRun = async (id: string) => (await api.http.get(`/runs/${id}`)).data;
  const runIn = (id: string, status: string) =>
    eventually(async () => {
      const run = await readRun(id);
      return run.status === status && run;
    }, `run ${id} is ${status}`);
  const deliveryIn = (runId: string, status: string) =>
    eventually(async () => {
      const [delivery] = (await readRun(runId)).deliveries;
      return delivery?.status === status && delivery;
    }, `the delivery of ${runId} is ${status}`);

  /** One that holds a slot, but is in no queue: nobody executes it but the test. */
  const hotRun = async (taskId: string) => {
    const { database, clock } = api.platform;
    const id = await trigger(taskId, { start_time: new Date(Date.now() + 3_600_000).toISOString() });
    await database.client.coldRun.deleteMany({ where: { runId: id } });
    await database.client.taskRun.update({ where: { id }, data: { wakeAt: new Date(clock.now() + 60_000) } });
    await database.client.taskState.update({ where: { taskId: BigInt(taskId) }, data: { activeRuns: 1 } });
    return id;
  };

  it('a success is told with what the run was given and what came of it, and is a SUCCESS once that is acknowledged', async () => {
    const path = place();
    const open = gate();
    target.on(path, { after: open.opened, status: 204, body: '' });
    const task = await create({ notify: told(`${path}?team=a%20b`) });
    const id = await trigger(task.id, { payload: { order: 7 }, creator: 'shop' });
    const [call] = await target
      .waitFor((calls) => calls.some((one) => one.path === path))
      .then(() => target.callsTo(path));
    const waiting = await readRun(id);
    expect(waiting).toMatchObject({ status: 'COMPLETED', finished_at: null, result: { answer: 42 } });
    expect((await api.http.get(`/tasks/${task.id}`)).data).toMatchObject({ active_runs: 0 });
    expect(bodyOf(call)).toMatchObject({
      ...{ event: 'success', run_id: id, task_id: task.id, task_name: task.name, status: 'SUCCESS', trigger: 'MANUAL' },
      ...{ ext: { order: 7 }, result: { answer: 42 }, attempt: 1, http_status: 200, creator: 'shop' },
      scheduled_time: waiting.scheduled_time,
      delivery_id: waiting.deliveries[0].id,
    });
    expect(call.headers).toMatchObject({ 'webhook-id': waiting.deliveries[0].id, 'x-punctual-run-id': id });
    open.open();
    const run = await runIn(id, 'SUCCESS');
    expect(run.finished_at).not.toBeNull();
    expect(run.deliveries).toMatchObject([{ kind: 'success', status: 'DELIVERED', attempts: 1, last_status: 204 }]);
    expect(target.callsTo(path)).toHaveLength(1);
  });

  it('a failure is told with its error, and the run is FAILED whatever the receiver says', async () => {
    const path = place();
    target.on(path, { status: 500, body: 'not now' });
    const task = await create({ target_url: `${target.url}/bad`, notify: told(path, 'error') });
    const id = await trigger(task.id, { payload: { order: 8 } });
    await runIn(id, 'FAILED');
    const delivery = await deliveryIn(id, 'FAILED');
    expect(delivery).toMatchObject({ kind: 'error', attempts: 4, next_attempt_at: null, last_status: 500 });
    expect(delivery.last_error).toContain('not now');
    const calls = target.callsTo(path);
    expect(new Set(calls.map((call) => call.headers['webhook-id']))).toEqual(new Set([delivery.id]));
    expect(new Set(calls.map((call) => call.body)).size).toBe(1);
    expect(bodyOf(calls[0])).toMatchObject({
      ...{ event: 'error', status: 'FAILED', task_id: task.id, ext: { order: 8 }, error_code: 'HTTP_500' },
      error_info: 'the target answered 500',
    });
    expect(bodyOf(calls[0])).not.toHaveProperty('result');
  });

  it.each([
    ['PENDING', { target: '/bad', need_manual: true }],
    ['TIMEOUT', { target: '/hang', timeout_seconds: 1 }],
  ])('%s is told as an error', async (status, { target: where, ...fields }) => {
    const path = place();
    target.on('/hang', { hang: true });
    const task = await create({ target_url: `${target.url}${where}`, ...fields, notify: told(path, 'error') });
    const id = await trigger(task.id);
    await deliveryIn(id, 'DELIVERED');
    expect(bodyOf(target.callsTo(path)[0])).toMatchObject({ run_id: id, status });
    expect((await readRun(id)).status).toBe(status);
  });

  it('a run that is cancelled is told as an error, also when it never started', async () => {
    const path = place();
    const task = await create({ notify: told(path, 'error') });
    const id = await trigger(task.id, { start_time: new Date(Date.now() + 3_600_000).toISOString() });
    await api.http.post(`/runs/${id}/cancel`, { reason: 'changed our mind' });
    await deliveryIn(id, 'DELIVERED');
    expect(bodyOf(target.callsTo(path)[0])).toMatchObject({ status: 'CANCELED', error_info: 'changed our mind' });
  });

  it('says nothing of what nobody asked about', async () => {
    const path = place();
    const task = await create({ notify: told(path, 'error') });
    const id = await trigger(task.id);
    expect(await runIn(id, 'SUCCESS')).toMatchObject({ deliveries: [] });
    expect(target.callsTo(path)).toEqual([]);
  });

  it('a receiver that fails, hangs and comes back gets the notice then, under the same id', async () => {
    const path = place();
    target.on(path, (_call, nth) => [{ status: 503 }, { hang: true }, { redirect: '/elsewhere' }, {}][nth - 1] ?? {});
    const task = await create({ notify: told(path) });
    const id = await trigger(task.id);
    await runIn(id, 'SUCCESS');
    const calls = target.callsTo(path);
    expect(calls).toHaveLength(4);
    expect(new Set(calls.map((call) => call.headers['webhook-id'])).size).toBe(1);
    expect(calls.map((call) => call.headers['x-punctual-delivery-attempt'])).toEqual(['1', '2', '3', '4']);
    expect(target.callsTo('/elsewhere')).toEqual([]);
  });

  it('after the last try the run stays COMPLETED; the delivery is listed, and a redelivery makes it a SUCCESS', async () => {
    const path = place();
    target.on(path, { status: 404 });
    const task = await create({ notify: told(path) });
    const id = await trigger(task.id);
    const failed = await deliveryIn(id, 'FAILED');
    expect(await readRun(id)).toMatchObject({ status: 'COMPLETED', finished_at: null });
    const listed = await api.http.get('/deliveries', { params: { status: 'FAILED', task_id: task.id } });
    expect(listed.data).toEqual({ items: [failed], next_cursor: null });
    expect((await api.http.get(`/deliveries/${failed.id}`)).data).toEqual(failed);
    target.on(path, {});
    const again = await api.http.post(`/deliveries/${failed.id}/redeliver`);
    expect(again).toMatchObject({ status: 202, data: { id: failed.id, status: 'PENDING' } });
    await runIn(id, 'SUCCESS');
    expect(target.callsTo(path)).toHaveLength(5);
    expect(target.callsTo(path)[4].headers['webhook-id']).toBe(failed.id);
  });

  it('comes with the headers that the documentation names and no others', async () => {
    const path = place();
    const security = { type: 'aksk', ak: 'billing', sk: 'a key' };
    await runIn(await trigger((await create({ notify: { ...told(path), security } })).id), 'SUCCESS');
    const [{ headers }] = target.callsTo(path);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Punctual/0.1' });
    const own = ['delivery-id', 'delivery-attempt', 'event', 'run-id', 'access-key', 'timestamp', 'nonce', 'signature'];
    const standard = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'traceparent'];
    const http = ['host', 'connection', 'content-type', 'content-length', 'user-agent', 'accept-encoding'];
    const all = [...own.map((name) => `x-punctual-${name}`), ...standard, ...http];
    expect(Object.keys(headers).sort()).toEqual(all.sort());
  });

  it('any 2xx acknowledges, however much it says; of a refusal the beginning is kept', async () => {
    const [long, refused] = [place(), place()];
    target.on(long, { status: 202, body: 'x'.repeat(3_000_000) });
    target.on(refused, { status: 400, body: { why: 'no such order', more: 'x'.repeat(100_000) } });
    const first = await trigger((await create({ notify: told(long) })).id);
    const second = await trigger((await create({ notify: told(refused) })).id);
    expect((await runIn(first, 'SUCCESS')).deliveries).toMatchObject([{ attempts: 1, last_status: 202 }]);
    const { last_error: error } = await deliveryIn(second, 'FAILED');
    expect(error).toMatch(/^the receiver answered 400: \{"why":"no such order","more":"x+$/);
    expect(error.length).toBeLessThan(1_000);
  });

  it('a receiver that is not there, hangs or leads elsewhere is told in words', async () => {
    const [hung, moved] = [place(), place()];
    target.on(hung, { hang: true }).on(moved, { redirect: '/elsewhere?token=x', body: '' });
    const urls = ['http://127.0.0.1:1/', `${target.url}${hung}`, `${target.url}${moved}`];
    const ids = [];
    for (const url of urls) ids.push(await trigger((await create({ notify: { success: { url } } })).id));
    const firstError = (id: string) =>
      eventually(async () => (await readRun(id)).deliveries[0]?.last_error as string, `the first try of ${id} is over`);
    expect(await Promise.all(ids.map(firstError))).toEqual([
      'the receiver refused the connection (ECONNREFUSED)',
      expect.stringMatching(/^timed out after \d+ ms waiting for the receiver's response$/),
      'the receiver answered 302 to /elsewhere; redirects are not followed',
    ]);
  });

  it('410 Gone ends it at once, and a Retry-After puts the next try off', async () => {
    const [gone, later] = [place(), place()];
    target.on(gone, { status: 410 }).on(later, { status: 429, headers: { 'retry-after': '3600' } });
    const first = await trigger((await create({ notify: told(gone) })).id);
    const second = await trigger((await create({ notify: told(later) })).id);
    expect(await deliveryIn(first, 'FAILED')).toMatchObject({ attempts: 1 });
    const waiting = await eventually(async () => {
      const [delivery] = (await readRun(second)).deliveries;
      return delivery?.last_status === 429 && delivery;
    }, 'the first try is over');
    expect(Date.parse(waiting.next_attempt_at) - Date.parse(waiting.created_at)).toBeGreaterThan(3_500_000);
    expect(waiting.status).toBe('PENDING');
  });

  it('goes where the task says now, and not to an address that is not allowed', async () => {
    const path = place();
    const task = await create({ notify: { success: { url: 'http://169.254.169.254/latest' } } });
    const id = await trigger(task.id);
    const failed = await deliveryIn(id, 'FAILED');
    expect(failed.last_error).toContain('blocked');
    await api.http.patch(`/tasks/${task.id}`, { notify: { success: { url: target.url + path, method: 'PUT' } } });
    await api.http.post(`/deliveries/${failed.id}/redeliver`);
    expect((await runIn(id, 'SUCCESS')).deliveries).toMatchObject([{ url: target.url + path, method: 'PUT' }]);
    expect(target.callsTo(path)).toMatchObject([{ method: 'PUT' }]);
  });

  it('a settle whose process dies before it has told the queue is told all the same', async () => {
    const path = place();
    const task = await create({ notify: told(path), status: 'DISABLED' });
    const { database, clock } = api.platform;
    // Executed and settled by a process that says nothing of it.
    const stored = await hotRun(task.id);
    const [run] = await claimRuns(database, [stored], { node: 'dead', now: clock.now(), leaseMs: 60_000 });
    const { settled, notices } = await settleRuns(
      database,
      [
        {
          ...{
            runId: run.id,
            taskId: run.taskId,
            tenantId: run.tenantId,
            execId: run.execId,
            attempt: 1,
            tickAttempt: 1,
          },
          ...{ node: 'dead', priority: 0, status: 'SUCCESS', outcome: 'SUCCESS', dueAgainAt: null, httpStatus: 200 },
          ...{ startedAt: clock.now(), finishedAt: clock.now(), errorCode: null, errorInfo: null },
          ...{ result: null, request: null, response: null, notify: told(path) },
        },
      ],
      clock.now(),
    );
    expect([settled.size, notices.length]).toEqual([1, 1]);
    await runIn(stored, 'SUCCESS');
    expect(target.callsTo(path)).toHaveLength(1);
  });

  it('runs that wait in line for one another are each told of', async () => {
    const [work, path] = [place('work'), place()];
    const open = gate();
    target.on(work, { after: open.opened });
    const task = await create({ target_url: `${target.url}${work}`, notify: told(path) });
    const ids = [await trigger(task.id), await trigger(task.id), await trigger(task.id)];
    expect((await readRun(ids[2])).status).toBe('QUEUED');
    open.open();
    for (const id of ids) await runIn(id, 'SUCCESS');
    expect(new Set(target.callsTo(path).map((call) => bodyOf(call).run_id))).toEqual(new Set(ids));
    expect(target.callsTo(path)).toHaveLength(3);
  });

  it('a run whose worker is gone is told as an error', async () => {
    const path = place();
    const task = await create({ notify: told(path, 'error') });
    const id = await hotRun(task.id);
    const { database, clock } = api.platform;
    await claimRuns(database, [id], { node: 'gone', now: clock.now(), leaseMs: 0 });
    await database.client.runAlarm.create({ data: { at: new Date(clock.now()), runId: id } });
    await deliveryIn(id, 'DELIVERED');
    expect(bodyOf(target.callsTo(path)[0])).toMatchObject({ status: 'FAILED', error_code: 'NODE_LOST' });
  });

  it('lists page by page, newest first', async () => {
    const path = place();
    const task = await create({ max_concurrency: 0, notify: told(path) });
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await trigger(task.id));
    for (const id of ids) await runIn(id, 'SUCCESS');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await api.http.get('/deliveries', { params: { task_id: task.id, limit: 2, cursor } });
      seen.push(...data.items.map((item: { id: string }) => item.id));
      cursor = data.next_cursor ?? undefined;
    } while (cursor);
    expect(seen).toHaveLength(5);
    expect(seen).toEqual([...seen].sort().reverse());
    const ofRun = await api.http.get('/deliveries', { params: { run_id: ids[0] } });
    expect(ofRun.data.items).toMatchObject([{ run_id: ids[0], status: 'DELIVERED' }]);
    expect((await api.http.get('/deliveries/msg_none')).status).toBe(404);
    expect((await api.http.post('/deliveries/msg_none/redeliver')).status).toBe(404);
    expect((await api.http.get('/deliveries', { params: { cursor: 'x' } })).status).toBe(422);
  });

  it('is signed for a team that has keys, anew at every try', async () => {
    const path = place();
    target.on(path, (_call, nth) => (nth === 1 ? { status: 500 } : {}));
    const security = { type: 'aksk', ak: 'billing', sk: 'correct horse battery staple' };
    const task = await create({ notify: { ...told(`${path}/a%2Fb?x=1&y=%C3%BC`), security } });
    const whole = `${path}/a%2Fb`;
    target.on(whole, (_call, nth) => (nth === 1 ? { status: 500 } : {}));
    expect(task.notify.security).toEqual({ type: 'aksk', ak: 'billing', has_sk: true });
    await runIn(await trigger(task.id, { payload: { text: 'Grüße 🙂' } }), 'SUCCESS');
    const calls = target.callsTo(whole);
    expect(calls).toHaveLength(2);
    for (const call of calls) {
      expect(isSignedWith(security.sk, call)).toEqual({ own: true, standard: true });
      expect(isSignedWith('another', call)).toEqual({ own: false, standard: false });
      expect(call.headers).toMatchObject({ 'x-punctual-access-key': 'billing' });
      const age = Math.abs(Date.now() / 1000 - Number(call.headers['webhook-timestamp']));
      expect(age).toBeLessThan(300);
    }
    expect(calls[0].headers['x-punctual-nonce']).not.toBe(calls[1].headers['x-punctual-nonce']);
  });

  it('is signed with both keys while one replaces the other, and a change that repeats or leaves out the key keeps it', async () => {
    const path = place();
    const keyed = (sk?: string) => ({ notify: { ...told(path), security: { type: 'aksk', ak: 'a', sk } } });
    const task = await create(keyed('first'));
    const signers = async () => {
      const before = target.callsTo(path).length;
      await runIn(await trigger(task.id), 'SUCCESS');
      const call = target.callsTo(path)[before];
      return ['first', 'second', 'third'].filter((sk) => isSignedWith(sk, call).own && isSignedWith(sk, call).standard);
    };
    expect(await signers()).toEqual(['first']);
    expect((await api.http.patch(`/tasks/${task.id}`, keyed('first'))).status).toBe(200);
    expect(await signers()).toEqual(['first']);
    await api.http.patch(`/tasks/${task.id}`, keyed('second'));
    expect(await signers()).toEqual(['first', 'second']);
    const { notify } = (await api.http.get(`/tasks/${task.id}`)).data;
    await api.http.patch(`/tasks/${task.id}`, { notify });
    await api.http.patch(`/tasks/${task.id}`, { description: 'changed' });
    expect(await signers()).toEqual(['first', 'second']);
    await api.http.patch(`/tasks/${task.id}`, keyed('third'));
    expect(await signers()).toEqual(['second', 'third']);
  });

  it.each<[string, (notify: object) => object]>([
    ['says nothing of notices any more', () => ({ notify: null })],
    ['signs them no more', (notify) => ({ notify: { ...notify, security: { type: 'none' } } })],
  ])('one that was to be signed does not go out unsigned when its task %s', async (_title, change) => {
    const path = place();
    const open = gate();
    // The first try is refused, but only once the task has been changed.
    target.on(path, { after: open.opened, status: 500, body: '' });
    const security = { type: 'aksk', ak: 'a', sk: 'the key' };
    const task = await create({ notify: { ...told(path), security } });
    const id = await trigger(task.id);
    await target.waitFor((calls) => calls.some((one) => one.path === path));
    expect((await api.http.patch(`/tasks/${task.id}`, change(told(path)))).status).toBe(200);
    open.open();
    const delivery = await deliveryIn(id, 'FAILED');
    expect(delivery).toMatchObject({ attempts: 4, last_error: expect.stringContaining('has no secret key any more') });
    const calls = target.callsTo(path);
    expect(calls.map((call) => isSignedWith('the key', call).own)).toEqual([true]);
    // With a key again it can be sent after all.
    target.on(path, { status: 200 });
    await api.http.patch(`/tasks/${task.id}`, { notify: { ...told(path), security } });
    expect((await api.http.post(`/deliveries/${delivery.id}/redeliver`)).status).toBeLessThan(300);
    await deliveryIn(id, 'DELIVERED');
    expect(target.callsTo(path).every((call) => isSignedWith('the key', call).own)).toBe(true);
  });
});
