import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunStatus } from '#domain';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

describe('a run that has ended', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/broken', { status: 500, body: { oh: 'no' } });
    api = await startApi(stack);
    worker = await startWorker(stack);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  const create = async (fields: object = {}): Promise<string> =>
    (await api.http.post('/tasks', taskBody({ target_url: `${target.url}/ok`, ...fields }))).data.id;
  const trigger = async (id: string, fields: object = {}): Promise<string> =>
    (await api.http.post(`/tasks/${id}/runs`, fields)).data.id;
  const until = (id: string, is: (run: { status: string; finished_at: string | null }) => boolean) =>
    eventually(async () => {
      const { data } = await api.http.get(`/runs/${id}`);
      return is(data) && data;
    }, `${id} is as expected`);
  const closed = (id: string) => until(id, (run) => run.finished_at !== null);
  const pending = async (): Promise<string> => {
    const id = await trigger(await create({ target_url: `${target.url}/broken`, need_manual: true }));
    await until(id, (run) => run.status === 'PENDING');
    return id;
  };
  const replay = (id: string, headers: object = {}) => api.http.post(`/runs/${id}/replay`, undefined, { headers });
  const resolve = (id: string, body: object) => api.http.post(`/runs/${id}/resolve`, body);
  /** A run as it would be in that state, without its history. */
  const runIn = async (taskId: string, status: RunStatus) => {
    const finishedAt = ['SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED'].includes(status)
      ? new Date()
      : null;
    const id = `1700000000-${taskId}-${status.toLowerCase()}`;
    await api.platform.database.client.taskRun.create({
      data: {
        ...{ id, taskId: BigInt(taskId), taskName: 'x', trigger: 'CRON', status, finishedAt },
        ...{ scheduledTime: new Date(1_700_000_000_000), traceId: 't' },
        ...(status === 'SKIPPED' ? { skipReason: 'OVERLAP' } : {}),
        ...(status === 'RUNNING' ? { execId: 'e', startedAt: new Date(), attempt: 1 } : {}),
      },
    });
    return id;
  };

  describe('is replayed', () => {
    it('as a new run with its payload, priority, creator and patience, and a trace of its own', async () => {
      const taskId = await create({ priority: 1, creator: 'owner' });
      const said = { payload: { n: [1, 'ü'] }, priority: 8, creator: 'me', attempt_timeout_seconds: 9 };
      const first = await closed(await trigger(taskId, said));
      const answer = await replay(first.id);
      expect(answer.status).toBe(202);
      expect(answer.headers.location).toBe(`/api/v1/runs/${answer.data.id}`);
      expect(answer.data).toMatchObject({
        ...said,
        trigger: 'REPLAY',
        task_id: taskId,
        status: 'SCHEDULED',
        attempt: 0,
      });
      expect(answer.data.id).not.toBe(first.id);
      expect(answer.data.trace_id).toBe(answer.headers['x-trace-id']);
      expect(answer.data.trace_id).not.toBe(first.trace_id);
      expect(await closed(answer.data.id)).toMatchObject({ status: 'SUCCESS' });
      expect(target.calls.map((call) => JSON.parse(call.body))).toEqual([said.payload, said.payload]);
      expect((await api.http.get(`/runs/${first.id}`)).data).toEqual(first);
    });

    it('by its task as it is now', async () => {
      const taskId = await create({ target_url: `${target.url}/broken` });
      const first = await closed(await trigger(taskId));
      await api.http.patch(`/tasks/${taskId}`, { target_url: `${target.url}/ok`, name: `renamed-${taskId}` });
      const { data } = await replay(first.id);
      expect(await closed(data.id)).toMatchObject({ status: 'SUCCESS', task_name: `renamed-${taskId}` });
    });

    it.each<RunStatus>(['SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED', 'MANUALLY_PROCESSED', 'PENDING'])(
      'when it is %s',
      async (status) => {
        const { data, status: answered } = await replay(await runIn(await create(), status));
        expect([answered, data.trigger]).toEqual([202, 'REPLAY']);
        await closed(data.id);
      },
    );

    it.each<RunStatus>(['SCHEDULED', 'QUEUED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING'])(
      'not while it is %s: that is 409 and says so',
      async (status) => {
        const taskId = await create();
        const answer = await replay(await runIn(taskId, status));
        expect([answer.status, answer.data.type]).toEqual([409, 'urn:punctual:problem:wrong-state']);
        expect(answer.data.detail).toContain(status);
        expect((await api.http.get(`/tasks/${taskId}/runs`)).data.items).toHaveLength(1);
      },
    );

    it('not when its task was deleted: that is 409 and says so', async () => {
      const taskId = await create();
      const id = await runIn(taskId, 'FAILED');
      await api.http.delete(`/tasks/${taskId}`);
      const answer = await replay(id);
      expect([answer.status, answer.data.type]).toEqual([409, 'urn:punctual:problem:task-deleted']);
      expect(answer.data.detail).toContain('has been deleted');
    });

    it('under the concurrency policy of its task', async () => {
      const taskId = await create({ max_concurrency: 1, concurrency_policy: 'SKIP' });
      const id = await runIn(taskId, 'FAILED');
      await api.platform.database.client.taskState.update({
        where: { taskId: BigInt(taskId) },
        data: { activeRuns: 1 },
      });
      expect((await replay(id)).data).toMatchObject({ status: 'SKIPPED', skip_reason: 'CONCURRENCY' });
    });

    it('once per Idempotency-Key', async () => {
      const id = await runIn(await create(), 'FAILED');
      const key = { 'idempotency-key': `replay-${id}` };
      const answers = await Promise.all([1, 2, 3].map(() => replay(id, key)));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
      await closed(answers[0].data.id);
      expect(target.calls).toHaveLength(1);
    });

    it('only if it is there', async () => {
      expect((await replay('1700000000-1')).status).toBe(404);
      expect((await replay('no%20id')).status).toBe(404);
    });
  });

  describe('that waits for a person is resolved', () => {
    it('with a remark and a result, and is closed by that', async () => {
      const id = await pending();
      const before = api.platform.clock.now();
      const answer = await resolve(id, { remark: 'paid by hand,\nticket 7', result: { paid: true } });
      expect(answer.status).toBe(200);
      expect(answer.data).toMatchObject({
        ...{ id, status: 'MANUALLY_PROCESSED', remark: 'paid by hand,\nticket 7', result: { paid: true } },
        ...{ error_code: 'HTTP_500', http_status: 500 },
      });
      expect(Date.parse(answer.data.finished_at)).toBeGreaterThanOrEqual(Math.floor(before));
      expect(
        (await api.http.get('/runs?status=MANUALLY_PROCESSED')).data.items.map(({ id }: { id: string }) => id),
      ).toContain(id);
    });

    it('without a result keeps the one it has', async () => {
      const id = await pending();
      const before = (await api.http.get(`/runs/${id}`)).data;
      expect((await resolve(id, { remark: 'fine' })).data.result).toEqual(before.result);
    });

    it('by one of two who come at once', async () => {
      const id = await pending();
      const answers = await Promise.all(['a', 'b', 'c'].map((remark) => resolve(id, { remark })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      const winner = answers.find(({ status }) => status === 200);
      expect((await api.http.get(`/runs/${id}`)).data.remark).toBe(winner?.data.remark);
    });

    it.each<RunStatus>(['SCHEDULED', 'QUEUED', 'RUNNING', 'RETRYING', 'SUCCESS', 'FAILED', 'MANUALLY_PROCESSED'])(
      'not when it is %s: that is 409, names the state and changes nothing',
      async (status) => {
        const id = await runIn(await create(), status);
        const answer = await resolve(id, { remark: 'x' });
        expect([answer.status, answer.data.type]).toEqual([409, 'urn:punctual:problem:wrong-state']);
        expect(answer.data.detail).toContain(` ${status}`);
        expect((await api.http.get(`/runs/${id}`)).data).toMatchObject({ status, remark: null });
      },
    );

    it('only if it is there', async () => expect((await resolve('1700000000-1', { remark: 'x' })).status).toBe(404));

    it.each<[string, object]>([
      ['remark', {}],
      ['remark', { remark: '' }],
      ['remark', { remark: null }],
      ['remark', { remark: 5 }],
      ['remark', { remark: 'x'.repeat(2001) }],
      ['remark', { remark: 'nul \u0000' }],
      ['result.a', { remark: 'x', result: { a: '\ud800' } }],
      ['status', { remark: 'x', status: 'SUCCESS' }],
    ])('not with a bad %s: %j', async (field, body) => {
      const answer = await resolve(await runIn(await create(), 'PENDING'), body);
      expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
    });
  });
});
