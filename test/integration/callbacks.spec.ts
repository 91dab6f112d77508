import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi } from '../support/api.js';
import { AsyncRuns } from '../support/async-runs.js';
import { counted } from '../support/counted.js';
import { type RunningWorker, startWorker } from '../support/product.js';
import { StartedAttempt } from '../support/started-attempt.js';

const RETRY = { strategy: 'fixed', interval_seconds: 1, max_attempts: 3 };
const RETRY_LATER = { ...RETRY, interval_seconds: 600 };

describe('an ASYNC run', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let runs: AsyncRuns;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/async', { status: 202, body: { accepted: true } });
    target.on('/refuses', { status: 503 });
    api = await startApi(stack);
    worker = await startWorker(stack);
    runs = new AsyncRuns(api, target);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  const counters = async (taskId: bigint) => {
    const state = await api.platform.database.client.taskState.findUniqueOrThrow({ where: { taskId } });
    return [state.activeRuns, state.queuedRuns];
  };
  const taskOf = (started: StartedAttempt) => BigInt(started.runId.split('-')[1]);

  describe('that was accepted', () => {
    it('waits with its slot until its callback says SUCCESS', async () => {
      const started = await runs.waiting({ callback_timeout_sec: 600, heartbeat_timeout_sec: 60 });
      expect(started.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(started.url).toBe(`${api.url}/api/v1/callbacks/${started.runId}`);
      const waiting = await runs.read(started.runId);
      expect(Date.parse(waiting.deadline!) - Date.parse(waiting.heartbeat_deadline!)).toBe(540_000);
      expect(waiting.attempts).toMatchObject([
        { attempt: 1, outcome: 'ACCEPTED', http_status: 202, finished_at: null },
      ]);
      expect(await counters(taskOf(started))).toEqual([1, 0]);

      const { status, data } = await started.say({ status: 'SUCCESS', result: { rows: 3 } });
      expect([status, data]).toEqual([
        200,
        { run_id: started.runId, status: 'SUCCESS', duplicate: false, late: false },
      ]);
      const run = await runs.read(started.runId);
      expect(run).toMatchObject({ status: 'SUCCESS', result: { rows: 3 }, error_code: null, late_callbacks: [] });
      expect(run.attempts).toMatchObject([{ outcome: 'SUCCESS', response: { status: 202 }, http_status: 202 }]);
      expect(run.callbacks).toMatchObject([{ attempt: 1, outcome: 'SUCCESS', http_status: 202 }]);
      expect(await counters(taskOf(started))).toEqual([0, 0]);
    });

    it('is not closed by a 200 with a body: that has only accepted, too', async () => {
      target.on('/eager', { status: 200, body: { done: true } });
      const started = await runs.waiting({ target_url: `${target.url}/eager` });
      expect(await runs.read(started.runId)).toMatchObject({ status: 'WAITING_CALLBACK', result: null });
      await started.say({ status: 'SUCCESS' });
      expect(await runs.read(started.runId)).toMatchObject({ status: 'SUCCESS', result: null });
    });

    it('is FAILED by a FAILURE, with what the target says, and counted so by failure_action', async () => {
      const started = await runs.waiting();
      expect((await started.say({ status: 'FAILURE', error_info: 'disk full' })).data.status).toBe('FAILED');
      const run = await runs.read(started.runId);
      expect(run).toMatchObject({ status: 'FAILED', error_code: 'CALLBACK_FAILURE', error_info: 'disk full' });
      expect(run.attempts).toMatchObject([{ outcome: 'FAILED', response: { status: 202 } }]);
      const where = { taskId: taskOf(started) };
      const state = await api.platform.database.client.taskState.findUniqueOrThrow({ where });
      expect(state).toMatchObject({ lastEndedRunId: started.runId, failedTickAttempt: 1 });
    });

    it('gives its slot to the next in line when its callback comes', async () => {
      const taskId = await runs.create();
      const [first, second] = [await runs.trigger(taskId), await runs.trigger(taskId)];
      const started = await runs.called(first);
      await runs.becomes(first, 'WAITING_CALLBACK');
      expect(await runs.read(second)).toMatchObject({ status: 'QUEUED' });
      await started.say({ status: 'SUCCESS' });
      const next = await runs.called(second);
      await next.say({ status: 'SUCCESS' });
      expect(await counters(BigInt(taskId))).toEqual([0, 0]);
    });
  });

  describe('whose target does not accept', () => {
    it('is tried again by the retry policy, with another token each time', async () => {
      target.on('/second', (_call, nth) => ({ status: nth === 1 ? 503 : 202 }));
      const started = await runs.start({ target_url: `${target.url}/second`, retry_policy_json: RETRY });
      const again = await runs.called(started.runId, 2);
      expect(again.token).not.toBe(started.token);
      await runs.becomes(started.runId, 'WAITING_CALLBACK');
      await again.say({ status: 'SUCCESS' });
      const run = await runs.read(started.runId);
      expect(run).toMatchObject({ status: 'SUCCESS', attempt: 2 });
      expect(run.attempts).toMatchObject([{ outcome: 'FAILED', error_code: 'HTTP_503' }, { outcome: 'SUCCESS' }]);
    });

    it('is FAILED when no attempt is left', async () => {
      const started = await runs.start({ target_url: `${target.url}/refuses` });
      expect(await runs.becomes(started.runId, 'FAILED')).toMatchObject({ error_code: 'HTTP_503' });
    });
  });

  describe('its callback is answered', () => {
    it('200 the first time, 200 as a duplicate the same again, 409 another', async () => {
      const started = await runs.waiting();
      const said = { status: 'SUCCESS', result: { b: 1, a: [1, { d: 2, c: 3 }] } };
      expect(await started.say(said)).toMatchObject({ status: 200, data: { duplicate: false, late: false } });
      const same = { result: { a: [1, { c: 3, d: 2 }], b: 1 }, status: 'SUCCESS' };
      expect(await started.say(same)).toMatchObject({ status: 200, data: { duplicate: true, late: false } });
      expect((await started.say({ status: 'FAILURE' })).status).toBe(409);
      expect((await started.say({ status: 'SUCCESS', result: {} })).status).toBe(409);
      expect(await runs.read(started.runId)).toMatchObject({ status: 'SUCCESS', result: said.result });
    });

    it('200 once and 49 times as a duplicate, when it is sent 50 times at once', async () => {
      const started = await runs.waiting();
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => started.say({ status: 'SUCCESS', result: 7 })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
      expect(answers.filter(({ data }) => !data.duplicate)).toHaveLength(1);
      expect(await runs.read(started.runId)).toMatchObject({ status: 'SUCCESS', result: 7, attempt: 1 });
      expect(await counters(taskOf(started))).toEqual([0, 0]);
    });

    it('to one of two outcomes that come at once with 200, to the others with 409', async () => {
      const started = await runs.waiting();
      const say = (n: number) => started.say({ status: n % 2 ? 'SUCCESS' : 'FAILURE', error_info: 'no' });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => say(n)));
      const won = answers.find(({ data }) => data.duplicate === false)!.data.status;
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(10);
      expect(await runs.read(started.runId)).toMatchObject({ status: won });
    });

    it('404 for a run there is not, 401 without its token or with another', async () => {
      const started = await runs.waiting();
      const other = await runs.waiting();
      const nowhere = new StartedAttempt({
        ...started.call,
        headers: { ...started.call.headers, 'x-punctual-callback-url': `${api.url}/api/v1/callbacks/1000000000-1` },
      });
      expect((await nowhere.say({ status: 'SUCCESS' })).status).toBe(404);
      for (const token of [null, other.token, 'x', 'A'.repeat(43), `${started.token}x`]) {
        const answer = await started.say({ status: 'SUCCESS' }, { token });
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      }
      expect(await runs.read(started.runId)).toMatchObject({ status: 'WAITING_CALLBACK' });
      for (const one of [started, other]) await one.say({ status: 'SUCCESS' });
    });

    it('401 for a run that is not ASYNC', async () => {
      const taskId = await runs.create({ exec_type: 'SYNC' });
      const id = await runs.trigger(taskId);
      await runs.becomes(id, 'SUCCESS');
      const answer = await api.http.post(`/callbacks/${id}`, { status: 'SUCCESS' }, BEARER);
      expect(answer.status).toBe(401);
    });

    it('405 by the method that the task does not want', async () => {
      const put = await runs.waiting({ callback_method: 'PUT' });
      const refused = await put.say({ status: 'SUCCESS' });
      expect(refused.status).toBe(405);
      expect(refused.headers.allow).toBe('PUT');
      expect((await put.say({ status: 'SUCCESS' }, { method: 'PUT' })).status).toBe(200);
      const post = await runs.waiting();
      expect((await post.say({ status: 'SUCCESS' }, { method: 'PUT' })).headers.allow).toBe('POST');
      await post.say({ status: 'SUCCESS' });
    });

    it.each<[string, object, string]>([
      ['nothing', {}, 'status'],
      ['another status', { status: 'DONE' }, 'status'],
      ['an unknown field', { status: 'SUCCESS', more: 1 }, 'more'],
      ['no flag', { status: 'FAILURE', retryable: 'no' }, 'retryable'],
      ['a negative time', { status: 'FAILURE', retry_after_seconds: -1 }, 'retry_after_seconds'],
      ['a long text', { status: 'FAILURE', error_info: 'x'.repeat(16_385) }, 'error_info'],
    ])('422 to %s', async (_what, body, field) => {
      const answer = await api.http.post<{ errors: { field: string }[] }>('/callbacks/1-1', body, BEARER);
      expect([answer.status, answer.data.errors[0].field]).toEqual([422, field]);
    });
  });

  describe('its FAILURE', () => {
    it('is tried again after the time it asks for', async () => {
      const started = await runs.waiting({ retry_policy_json: RETRY_LATER });
      expect((await started.say({ status: 'FAILURE', retry_after_seconds: 1200 })).data.status).toBe('RETRYING');
      const { dueIn } = await wakesIn(started.runId);
      expect(dueIn).toBeGreaterThan(1_150_000);
      await api.http.post(`/runs/${started.runId}/cancel`);
    });

    it('is tried again whatever retry_on says, but not if it is not retryable', async () => {
      const retry = { ...RETRY_LATER, retry_on: ['network'] };
      const again = await runs.waiting({ retry_policy_json: retry });
      expect((await again.say({ status: 'FAILURE' })).data.status).toBe('RETRYING');
      await api.http.post(`/runs/${again.runId}/cancel`);
      const final = await runs.waiting({ retry_policy_json: retry });
      expect((await final.say({ status: 'FAILURE', retryable: false })).data.status).toBe('FAILED');
    });

    it('is PENDING for a person where the task asks for one', async () => {
      const started = await runs.waiting({ need_manual: true });
      expect((await started.say({ status: 'FAILURE' })).data.status).toBe('PENDING');
    });
  });

  describe('whose callback comes before the target has answered', () => {
    it.each([202, 500])('is closed by it; a %i that follows is only shown', async (status) => {
      const { opened, open } = gate();
      target.on('/early', { status, after: opened, body: 'late answer' });
      const started = await runs.start({ target_url: `${target.url}/early`, retry_policy_json: RETRY });
      expect(await runs.read(started.runId)).toMatchObject({ status: 'RUNNING' });
      expect((await started.say({ status: 'SUCCESS', result: 1 })).data.status).toBe('SUCCESS');
      open();
      const run = await eventuallyAnswered(started.runId);
      expect(run).toMatchObject({ status: 'SUCCESS', result: 1, attempt: 1 });
      expect(run.attempts).toMatchObject([{ outcome: 'SUCCESS', response: { status, body: 'late answer' } }]);
      expect((await started.say({ status: 'SUCCESS', result: 1 })).data.duplicate).toBe(true);
    });

    it('leaves the call its time: nobody breaks it off', async () => {
      const { opened, open } = gate();
      target.on('/slow-start', { status: 202, after: opened });
      const started = await runs.start({ target_url: `${target.url}/slow-start` });
      await started.say({ status: 'SUCCESS' });
      // Longer than the watch for cancelled runs takes to come round twice.
      await new Promise((done) => setTimeout(done, 2_500));
      open();
      const run = await eventuallyAnswered(started.runId);
      expect(run.attempts).toMatchObject([{ response: { status: 202 } }]);
      expect(target.callsTo('/slow-start')[0].aborted).toBeUndefined();
    });
  });

  const BEARER = { headers: { authorization: `Bearer ${'A'.repeat(43)}` } };

  const eventuallyAnswered = (runId: string) =>
    eventually(async () => {
      const run = await runs.read(runId);
      return (run.callbacks[0]?.answered_at ?? null) !== null && run;
    }, `the answer of the target of ${runId} is kept`);

  const wakesIn = async (id: string) => {
    const { wakeAt } = await api.platform.database.client.taskRun.findUniqueOrThrow({ where: { id } });
    return { dueIn: wakeAt!.getTime() - api.platform.clock.now() };
  };

  it('every answer is counted', async () => {
    const answers = ['first', 'duplicate', 'conflict', 'late', 'heartbeat', 'bad_token'];
    const read = () =>
      Promise.all(answers.map((answer) => counted(api.platform, `callbacks_total{answer="${answer}"}`)));
    const before = await read();
    const started = await runs.waiting();
    await started.beat();
    await started.say({ status: 'SUCCESS' }, { token: 'another' });
    for (const status of ['SUCCESS', 'SUCCESS', 'FAILURE']) await started.say({ status, error_info: 'no' });
    const canceled = await runs.waiting();
    await api.http.post(`/runs/${canceled.runId}/cancel`);
    await canceled.say({ status: 'SUCCESS' });
    expect((await read()).map((count, i) => count - before[i])).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
