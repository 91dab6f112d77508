import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findSuspects, retryRun } from '#database';
import type { RunStatus } from '#domain';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { counted, runsTotal } from '../support/counted.js';
import { type RunningWorker, startWorker } from '../support/product.js';

interface Shown {
  id: string;
  status: string;
  attempt: number;
}

describe('a run that waits for a person', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    worker = await startWorker(stack, { RESCUE_INTERVAL_MS: '200' });
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => {
    target.clear();
    target.on('*', { status: 500 });
  });

  const create = async (fields: object = {}): Promise<string> => {
    const body = taskBody({ target_url: `${target.url}/pay`, need_manual: true, ...fields });
    return (await api.http.post('/tasks', body)).data.id;
  };
  const trigger = async (taskId: string, fields: object = {}): Promise<string> =>
    (await api.http.post(`/tasks/${taskId}/runs`, fields)).data.id;
  const read = async (id: string) => (await api.http.get(`/runs/${id}`)).data;
  const until = (id: string, status: string, attempt?: number) =>
    eventually(async () => {
      const run = await read(id);
      return run.status === status && (attempt === undefined || run.attempt === attempt) && run;
    }, `${id} is ${status}`);
  const pending = async (taskId: string, fields: object = {}): Promise<string> => {
    const id = await trigger(taskId, fields);
    await until(id, 'PENDING');
    return id;
  };
  const retry = (id: string, body?: object) => api.http.post(`/runs/${id}/retry`, body);
  const resolve = (id: string, body: object) => api.http.post(`/runs/${id}/resolve`, body);
  const slotsOf = async (taskId: string) => (await api.http.get(`/tasks/${taskId}`)).data.active_runs;
  /** What the doctor would look at more closely. */
  const suspects = async () => (await findSuspects(api.platform.database, { after: 0n, most: 1000 })).suspects;
  const listed = async (status: string) =>
    (await api.http.get(`/runs?status=${status}`)).data.items.map(({ id }: Shown) => id);

  describe('is retried', () => {
    it('at once, with one attempt more, and ends as it ends then', async () => {
      const id = await pending(await create(), { payload: { n: 1 } });
      expect(await listed('PENDING')).toContain(id);
      target.on('*', { body: { paid: true } });
      const before = Math.floor(api.platform.clock.now());
      const retried = await counted(api.platform, runsTotal('RETRYING'));
      const answer = await retry(id, { remark: 'they are back', by: 'kim' });
      expect(await counted(api.platform, runsTotal('RETRYING'))).toBe(retried + 1);
      expect(answer.status).toBe(200);
      expect(answer.data).toMatchObject({ id, status: 'RETRYING', attempt: 1, max_attempts: 2, finished_at: null });

      const run = await until(id, 'SUCCESS');
      expect(run).toMatchObject({ attempt: 2, max_attempts: 2, result: { paid: true }, remark: 'they are back' });
      expect(run.attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['FAILED', 'SUCCESS']);
      expect(run.handled).toEqual([
        {
          ...{ action: 'RETRY', by: 'kim', remark: 'they are back', attempt: 1, at: expect.any(String) },
          ...{ payload_edited: false, previous_payload: null },
        },
      ]);
      expect(Date.parse(run.handled[0].at)).toBeGreaterThanOrEqual(before);
      expect(target.calls.map((call) => call.headers['x-punctual-attempt'])).toEqual(['1', '2']);
      expect(await listed('PENDING')).not.toContain(id);
    });

    it('without saying anything', async () => {
      const id = await pending(await create());
      target.on('*', {});
      expect((await retry(id)).status).toBe(200);
      const { handled } = await until(id, 'SUCCESS');
      expect(handled).toMatchObject([{ action: 'RETRY', by: null, remark: null }]);
    });

    it('with another payload, and the one it had is kept', async () => {
      const id = await pending(await create(), { payload: { iban: 'wrong' } });
      target.on('*', {});
      const answer = await retry(id, { payload: { iban: 'right' } });
      expect(answer.data).toMatchObject({ payload: { iban: 'right' }, remark: null });
      const { handled } = await until(id, 'SUCCESS');
      expect(handled).toMatchObject([{ payload_edited: true, previous_payload: { iban: 'wrong' } }]);
      expect(target.calls.map((call) => JSON.parse(call.body))).toEqual([{ iban: 'wrong' }, { iban: 'right' }]);
    });

    it.each<[string, unknown]>([
      ['nothing', undefined],
      ['a text', 'ü'],
      ['a list', [1, { a: null }]],
      ['false', false],
    ])('with %s for a payload before, and says so', async (_, payload) => {
      const id = await pending(await create(), { payload });
      const { data } = await retry(id, { payload: 0 });
      expect(data).toMatchObject({ payload: 0 });
      expect(data.handled).toMatchObject([{ payload_edited: true, previous_payload: payload ?? null }]);
    });

    it('and waits for a person again when that fails too, as often as it takes', async () => {
      const taskId = await create();
      const id = await pending(taskId);
      for (const attempt of [2, 3]) {
        expect((await retry(id)).status).toBe(200);
        expect(await until(id, 'PENDING', attempt)).toMatchObject({ max_attempts: attempt });
      }
      expect((await resolve(id, { remark: 'paid by hand', result: 7, by: 'lee' })).status).toBe(200);
      const run = await read(id);
      expect(run).toMatchObject({ status: 'MANUALLY_PROCESSED', result: 7, remark: 'paid by hand' });
      expect(run.handled).toMatchObject([
        { action: 'RETRY', attempt: 1 },
        { action: 'RETRY', attempt: 2 },
        { action: 'RESOLVE', attempt: 3, by: 'lee', remark: 'paid by hand' },
      ]);
      expect([await slotsOf(taskId), await suspects()]).toEqual([0, []]);
    });

    it('by its task as it is now', async () => {
      const taskId = await create();
      const id = await pending(taskId);
      await api.http.patch(`/tasks/${taskId}`, { need_manual: false });
      await retry(id);
      expect(await until(id, 'FAILED')).toMatchObject({ attempt: 2, error_code: 'HTTP_500' });
    });

    it('by one of several who come at once, whether they retry or resolve', async () => {
      const taskId = await create({ max_concurrency: 0 });
      target.on('*', (_call, nth) => (nth === 1 ? { status: 500 } : { hang: true }));
      const id = await pending(taskId);
      const answers = await Promise.all([
        ...[1, 2, 3].map(() => retry(id, { by: 'a' })),
        ...[1, 2, 3].map(() => resolve(id, { remark: 'x', by: 'b' })),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
      const { handled, status } = await read(id);
      expect(handled).toHaveLength(1);
      expect(await slotsOf(taskId)).toBe(status === 'MANUALLY_PROCESSED' ? 0 : 1);
      await api.http.post(`/runs/${id}/cancel`);
      expect([await slotsOf(taskId), await suspects()]).toEqual([0, []]);
    });

    it('and can be cancelled, which its task takes for a failure', async () => {
      const taskId = await create();
      target.on('*', (_call, nth) => (nth === 1 ? { status: 500 } : { hang: true }));
      const id = await pending(taskId);
      await retry(id);
      await until(id, 'RUNNING');
      expect((await api.http.post(`/runs/${id}/cancel`)).data.status).toBe('CANCELED');
      const where = { taskId: BigInt(taskId) };
      const state = await api.platform.database.client.taskState.findUniqueOrThrow({ where });
      expect(state).toMatchObject({ activeRuns: 0, lastEndedRunId: id, failedTickAttempt: 1 });
      expect(await suspects()).toEqual([]);
    });

    it('under the limit of its task: without a free slot that is 409, says what to do, and changes nothing', async () => {
      const taskId = await create({ max_concurrency: 1 });
      const id = await pending(taskId);
      const { opened, open } = gate();
      target.on('*', { after: opened });
      const other = await trigger(taskId);
      await until(other, 'RUNNING');
      const refused = await retry(id, { payload: 'x' });
      expect([refused.status, refused.data.type]).toEqual([409, 'urn:punctual:problem:no-free-slot']);
      expect(refused.data.detail).toContain('max_concurrency');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(await read(id)).toMatchObject({ status: 'PENDING', max_attempts: 1, payload: null, handled: [] });
      expect(await slotsOf(taskId)).toBe(1);

      open();
      await until(other, 'SUCCESS');
      expect((await retry(id)).status).toBe(200);
      await until(id, 'SUCCESS');
      expect([await slotsOf(taskId), await suspects()]).toEqual([0, []]);
    });

    it('not past the limit by several at once', async () => {
      const taskId = await create({ max_concurrency: 2 });
      const ids = [await pending(taskId), await pending(taskId), await pending(taskId), await pending(taskId)];
      target.on('*', { hang: true });
      const answers = await Promise.all(ids.map((id) => retry(id)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
      expect([await slotsOf(taskId), await suspects()]).toEqual([2, []]);
      await api.http.delete(`/tasks/${taskId}`);
    });

    it('not when its task was deleted, but it can still be resolved', async () => {
      const taskId = await create();
      const id = await pending(taskId);
      await api.http.delete(`/tasks/${taskId}`);
      const answer = await retry(id);
      expect([answer.status, answer.data.type]).toEqual([409, 'urn:punctual:problem:task-deleted']);
      expect(await read(id)).toMatchObject({ status: 'PENDING', handled: [] });
      expect((await resolve(id, { remark: 'gone' })).status).toBe(200);
      expect(await suspects()).toEqual([]);
    });

    it('by rescue when the queue never heard of it', async () => {
      const id = await pending(await create());
      target.on('*', {});
      const { database, clock } = api.platform;
      // Decided a minute ago, by somebody who was gone before the queue was told.
      await retryRun(database, { tenantId: 'default', id }, clock.now() - 60_000);
      expect(await until(id, 'SUCCESS')).toMatchObject({ attempt: 2 });
    });

    it.each<RunStatus>(['SCHEDULED', 'QUEUED', 'RUNNING', 'RETRYING', 'SUCCESS', 'FAILED', 'MANUALLY_PROCESSED'])(
      'not when it is %s: that is 409, names the state and changes nothing',
      async (status) => {
        const taskId = await create();
        const id = `1700000000-${taskId}`;
        const isOver = ['SUCCESS', 'FAILED', 'MANUALLY_PROCESSED'].includes(status);
        await api.platform.database.client.taskRun.create({
          data: {
            ...{ id, taskId: BigInt(taskId), taskName: 'x', trigger: 'CRON', status, traceId: 't' },
            ...{ scheduledTime: new Date(1_700_000_000_000), finishedAt: isOver ? new Date() : null },
            ...(status === 'RUNNING' ? { execId: 'e', startedAt: new Date(), attempt: 1 } : {}),
          },
        });
        const answer = await retry(id, { remark: 'x' });
        expect([answer.status, answer.data.type]).toEqual([409, 'urn:punctual:problem:wrong-state']);
        expect(answer.data.detail).toContain(` ${status}`);
        expect(await read(id)).toMatchObject({ status, remark: null, max_attempts: 1, handled: [] });
        await api.platform.database.client.taskRun.delete({ where: { id } });
      },
    );

    it('only if it is there', async () => expect((await retry('1700000000-1')).status).toBe(404));

    it.each<[string, object]>([
      ['remark', { remark: '' }],
      ['remark', { remark: 'x'.repeat(2001) }],
      ['by', { by: ' kim' }],
      ['by', { by: 5 }],
      ['payload.a', { payload: { a: '\ud800' } }],
      ['result', { result: 1 }],
    ])('not with a bad %s: %j', async (field, body) => {
      const answer = await retry('1700000000-1', body);
      expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
    });
  });

  it('is listed with all that wait for a person, newest first, of one task or of all', async () => {
    const taskId = await create();
    const ids = [await pending(taskId), await pending(taskId)].sort().reverse();
    const of = async (query: string) =>
      (await api.http.get(`/runs?status=PENDING${query}`)).data.items.map(({ id }: Shown) => id);
    expect(await of(`&task_id=${taskId}`)).toEqual(ids);
    expect((await of('')).slice(0, 2)).toEqual(ids);
  });
});
