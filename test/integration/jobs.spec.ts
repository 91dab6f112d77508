import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('a job submitted by name', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
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

  const task = async (fields: object = {}) => {
    const body = taskBody({ target_url: target.url, ...fields });
    return (await api.http.post<{ id: string; name: string }>('/tasks', body)).data;
  };
  const submit = (body: object, headers: object = {}) => api.http.post('/jobs', body, { headers });
  const closed = (id: string) =>
    eventually(async () => {
      const { data } = await api.http.get(`/runs/${id}`);
      return data.finished_at !== null && data;
    }, `run ${id} is closed`);

  it('runs the task of that name with its payload, and says where the run is', async () => {
    const { id, name } = await task({ category: 'mail' });
    const answer = await submit({ type: name, payload: { to: 'a@b.test' }, priority: 7, creator: 'team-a' });
    expect(answer.status).toBe(202);
    expect(answer.headers.location).toBe(`/api/v1/runs/${answer.data.id}`);
    expect(answer.data).toMatchObject({
      ...{ task_id: id, task_name: name, trigger: 'API', status: 'SCHEDULED', category: 'mail' },
      ...{ payload: { to: 'a@b.test' }, priority: 7, creator: 'team-a', trace_id: answer.headers['x-trace-id'] },
    });
    expect(await closed(answer.data.id)).toMatchObject({ status: 'SUCCESS', attempt: 1 });
    expect(target.calls.map((call) => JSON.parse(call.body))).toEqual([{ to: 'a@b.test' }]);
  });

  it('takes what it does not say from the task', async () => {
    const { name } = await task({ priority: 4, creator: 'owner' });
    const { data } = await submit({ type: name });
    expect(data).toMatchObject({ priority: 4, creator: 'owner', payload: null, attempt_timeout_seconds: null });
  });

  it('may have a shorter patience than its task', async () => {
    target.on('/hang', { hang: true });
    const { name } = await task({ target_url: `${target.url}/hang`, timeout_seconds: 60 });
    const { data } = await submit({ type: name, attempt_timeout_seconds: 1 });
    expect(await closed(data.id)).toMatchObject({ status: 'TIMEOUT', attempt_timeout_seconds: 1 });
  });

  it('with a start time that has passed runs now', async () => {
    const { name } = await task();
    const before = api.platform.clock.now();
    const { data } = await submit({ type: name, start_time: '2001-01-01T00:00:00Z' });
    expect(Date.parse(data.scheduled_time)).toBeGreaterThanOrEqual(Math.floor(before));
    expect(await closed(data.id)).toMatchObject({ status: 'SUCCESS' });
  });

  it('goes through the concurrency policy like any other run', async () => {
    const { name } = await task({ target_url: `${target.url}/hang`, concurrency_policy: 'SKIP' });
    const first = await submit({ type: name, attempt_timeout_seconds: 5 });
    const second = await submit({ type: name });
    expect(second.data).toMatchObject({
      ...{ status: 'SKIPPED', skip_reason: 'CONCURRENCY', blocked_by: first.data.id },
      finished_at: expect.any(String),
    });
  });

  it('of a disabled task runs, as a trigger of it does', async () => {
    const { id, name } = await task({ status: 'DISABLED' });
    const answers = [await submit({ type: name }), await api.http.post(`/tasks/${id}/trigger`)];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    for (const { data } of answers) expect(await closed(data.id)).toMatchObject({ status: 'SUCCESS' });
  });

  it('of a type that is not there is 422 and names it, also when it was deleted or is written otherwise', async () => {
    const { id, name } = await task();
    for (const type of ['nobody', name.toUpperCase(), `${name}x`]) {
      const answer = await submit({ type });
      expect([answer.status, fieldsOf(answer)]).toEqual([422, ['type']]);
      expect(answer.data.detail).toContain(type);
    }
    await api.http.delete(`/tasks/${id}`);
    expect((await submit({ type: name })).status).toBe(422);
  });

  it('names a task by its name of today', async () => {
    const { id, name } = await task();
    await api.http.patch(`/tasks/${id}`, { name: `${name}-renamed` });
    expect((await submit({ type: name })).status).toBe(422);
    expect((await submit({ type: `${name}-renamed` })).data.task_id).toBe(id);
  });

  it.each<[string, unknown]>([
    ['type', undefined],
    ['type', null],
    ['type', ''],
    ['type', 5],
    ['type', ' x'],
    ['type', 'x'.repeat(129)],
    ['type', 'a\nb'],
    ['payload', 'nul \u0000'],
    ['payload.deep[0]', { deep: ['half \ud800'] }],
    ['start_time', 'tomorrow'],
    ['start_time', '2026-02-30T00:00:00Z'],
    ['start_time', 1_800_000_000],
    ['start_time', new Date(Date.now() + 367 * DAY_MS).toISOString()],
    ['start_time', '2285-01-01T00:00:00Z'],
    ['priority', -1],
    ['priority', 10],
    ['priority', '5'],
    ['priority', 1.5],
    ['creator', ''],
    ['creator', 'x'.repeat(129)],
    ['creator', ['me']],
    ['attempt_timeout_seconds', 0],
    ['attempt_timeout_seconds', 86_401],
    ['color', 'red'],
    ['id', 'x'],
  ])('%s may not be %j, by name or by id', async (field, value) => {
    const { id, name } = await task();
    const fields = { [field.split('.')[0]]: value };
    const answer = await submit({ type: name, ...fields });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
    if (field === 'type') return;
    const triggered = await api.http.post(`/tasks/${id}/runs`, fields);
    expect([triggered.status, fieldsOf(triggered)]).toEqual([422, [field]]);
    expect((await api.http.get(`/tasks/${id}/runs`)).data.items).toEqual([]);
  });

  it('may be asked for almost a year ahead', async () => {
    const { name } = await task();
    const answer = await submit({ type: name, start_time: new Date(Date.now() + 364 * DAY_MS).toISOString() });
    expect([answer.status, answer.data.status]).toEqual([202, 'SCHEDULED']);
  });

  it('is made once per Idempotency-Key; another body with the key is refused', async () => {
    const { id, name } = await task();
    const key = { 'idempotency-key': `key-${name}` };
    const answers = await Promise.all(Array.from({ length: 4 }, () => submit({ type: name, payload: 1 }, key)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
    expect((await submit({ type: name, payload: 2 }, key)).status).toBe(409);
    expect((await api.http.get(`/tasks/${id}/runs`)).data.items).toHaveLength(1);
    await closed(answers[0].data.id);
    expect(target.calls).toHaveLength(1);
  });

  it('that was refused leaves its Idempotency-Key free', async () => {
    const body = taskBody({ target_url: target.url });
    const key = { 'idempotency-key': `key-${body.name}` };
    expect((await submit({ type: body.name }, key)).status).toBe(422);
    await api.http.post('/tasks', body);
    expect((await submit({ type: body.name }, key)).status).toBe(202);
  });
});
