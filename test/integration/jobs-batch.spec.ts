import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

interface Item {
  id?: string;
  type?: string;
  status: string | number;
  task_name?: string;
  skip_reason?: string | null;
  blocked_by?: string | null;
  payload?: unknown;
  trace_id: string;
  errors?: { field: string; message: string }[];
}

/** A thousand jobs one by one cost a thousand times what one costs; grouped, a fraction of it (5 to 30 times). */
const GROUPED = 200;

describe('jobs submitted together', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/slow', { delayMs: 300 });
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
  const batch = (jobs: unknown, headers: object = {}) =>
    api.http.post<{ items: Item[] }>('/jobs/batch', { jobs }, { headers, maxBodyLength: Infinity });
  const stateOf = (id: string) =>
    api.platform.database.client.taskState.findUniqueOrThrow({ where: { taskId: BigInt(id) } });
  const settled = (id: string, count: number) =>
    eventually(
      async () => {
        const where = { taskId: BigInt(id), status: 'SUCCESS' };
        return (await api.platform.database.client.taskRun.count({ where })) === count;
      },
      `${count} runs of ${id} have succeeded`,
      60_000,
    );

  const timed = async <Value>(work: () => Promise<Value>) => {
    const began = performance.now();
    const answer = await work();
    return { answer, ms: performance.now() - began };
  };

  it('are answered each in its place, with its run or its problem', async () => {
    const [one, two] = [await task(), await task({ max_concurrency: 0 })];
    const { status, data, headers } = await batch([
      { type: one.name, payload: 1 },
      { type: 'nobody' },
      { type: two.name, payload: 'text \u0000' },
      { type: two.name, payload: 'text', priority: 3 },
      { type: two.name, priority: 11, color: 'red' },
      'not an object',
      { payload: 1 },
      { type: two.name, start_time: '2199-01-01T00:00:00Z' },
      { type: two.name, payload: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown },
      { type: one.name, payload: 2 },
    ]);
    expect(status).toBe(202);
    const fields = data.items.map(({ errors }) => errors?.map(({ field }) => field).sort());
    const deep = expect.stringMatching(/^payload(\[0\])+$/);
    const none = undefined;
    expect(fields).toEqual([
      ...[none, ['type'], ['payload'], none, ['color', 'priority'], ['body'], ['type'], ['start_time'], [deep], none],
    ]);
    expect(data.items[0]).toMatchObject({ task_name: one.name, status: 'SCHEDULED', payload: 1 });
    expect(data.items[3]).toMatchObject({ task_name: two.name, status: 'SCHEDULED', payload: 'text', priority: 3 });
    expect(data.items[9]).toMatchObject({ task_name: one.name, status: 'QUEUED', payload: 2 });
    expect(data.items[1]).toEqual({
      ...{ type: 'urn:punctual:problem:invalid', title: 'Unprocessable Entity', status: 422 },
      ...{ detail: expect.stringContaining('nobody'), trace_id: headers['x-trace-id'] },
      errors: [{ field: 'type', message: 'there is no task named "nobody"' }],
    });
    await settled(one.id, 2);
    await settled(two.id, 1);
  });

  it('of one task see one another, and wait in the order they were given', async () => {
    const { id, name } = await task({ target_url: `${target.url}/slow`, queue_limit: 2, max_concurrency: 1 });
    const { data } = await batch(Array.from({ length: 5 }, (_, i) => ({ type: name, payload: i })));
    expect(data.items.map((item) => item.skip_reason ?? item.status)).toEqual([
      ...['SCHEDULED', 'QUEUED', 'QUEUED', 'QUEUE_FULL', 'QUEUE_FULL'],
    ]);
    expect(data.items[4].blocked_by).toBe(data.items[0].id);
    await settled(id, 3);
    expect(target.calls.map((call) => Number(call.body))).toEqual([0, 1, 2]);
    expect(await stateOf(id)).toMatchObject({ activeRuns: 0, queuedRuns: 0, lastRunId: data.items[4].id });
  });

  it('may be a thousand with some that are wrong, and are admitted in a few statements', async () => {
    const tasks = await Promise.all(Array.from({ length: 10 }, () => task({ max_concurrency: 0 })));
    const jobs = Array.from({ length: 1000 }, (_, i) => ({
      type: i % 100 === 99 ? 'nobody' : tasks[i % 10].name,
      payload: { number: i, filler: 'x'.repeat(500) },
      ...(i % 50 === 7 ? { priority: 'high' } : {}),
      ...(i % 50 === 8 ? { start_time: new Date(Date.now() + 3_600_000).toISOString() } : {}),
    }));
    const singles = [];
    for (let i = 0; i < 9; i++) singles.push(await timed(() => batch([{ type: tasks[i].name }])));
    const one = singles.map(({ ms }) => ms).sort((a, b) => a - b)[4];
    const { ms, answer } = await timed(() => batch(jobs));
    const { status, data } = answer;
    expect(status).toBe(202);
    expect(data.items).toHaveLength(1000);
    const wrong = data.items.flatMap((item, i) => (item.errors ? [[i, ...item.errors.map(({ field }) => field)]] : []));
    expect(wrong).toHaveLength(30);
    expect(wrong.filter(([, field]) => field === 'type').map(([i]) => i)).toEqual(
      Array.from({ length: 10 }, (_, i) => i * 100 + 99),
    );
    data.items.forEach((item, i) => {
      if (item.id !== undefined) expect([i, item.payload]).toEqual([i, jobs[i].payload]);
    });

    expect(ms).toBeLessThan(GROUPED * one);
    for (const [i, { id }] of tasks.entries()) {
      const good = data.items.filter((item, at) => at % 10 === i && item.id !== undefined && at % 50 !== 8);
      await settled(id, good.length + (i < 9 ? 1 : 0));
    }
  }, 120_000);

  it('fit 1,000 jobs of some kilobytes each, with a key as well; what is larger is 413', async () => {
    const { id, name } = await task({ queue_limit: 0 });
    const jobs = (size: number) => Array.from({ length: 1000 }, () => ({ type: name, payload: 'x'.repeat(size) }));
    const { status, data } = await batch(jobs(4_000), { 'idempotency-key': `large-${name}` });
    expect([status, data.items.length]).toEqual([202, 1000]);
    const again = await batch(jobs(4_000), { 'idempotency-key': `large-${name}` });
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([202, 'true']);
    expect(again.data).toEqual(data);
    expect((await batch(jobs(5_000))).status).toBe(413);
    expect((await api.http.post('/jobs', { type: name, payload: 'x'.repeat(1_100_000) })).status).toBe(413);
    await settled(id, 1);
  }, 60_000);

  it.each<[string, unknown, string]>([
    ['none', [], 'jobs'],
    ['1,001', Array(1001).fill({ type: 'x' }), 'jobs'],
    ['a text', 'many', 'jobs'],
    ['nothing', undefined, 'jobs'],
    ['null', null, 'jobs'],
  ])('may not be %s', async (_title, jobs, field) => {
    const answer = await batch(jobs);
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [field]]);
  });

  it('may not come with something else', async () => {
    const answer = await api.http.post('/jobs/batch', { jobs: [{ type: 'x' }], color: 'red' });
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['color']]);
  });

  it('that are all wrong are answered all the same', async () => {
    const { status, data } = await batch([{ type: 'nobody' }, null]);
    expect([status, data.items.map((item) => item.status)]).toEqual([202, [422, 422]]);
  });

  it('nested without end have their problem, with a key as well', async () => {
    const { id, name } = await task();
    const body = `{"jobs":[{"type":"${name}"},{"type":"${name}","payload":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`;
    const headers = { 'content-type': 'application/json', 'idempotency-key': `deep-${name}` };
    const { status, data } = await api.http.post<{ items: Item[] }>('/jobs/batch', body, { headers });
    expect([status, data.items.map((item) => item.status)]).toEqual([202, ['SCHEDULED', 422]]);
    await settled(id, 1);
  });

  it('are made once per Idempotency-Key; another body with the key is refused', async () => {
    const { id, name } = await task({ max_concurrency: 0 });
    const key = { 'idempotency-key': `key-${name}` };
    const jobs = [{ type: name, payload: 1 }, { type: 'nobody' }, { type: name, payload: 2 }];
    const answers = await Promise.all(Array.from({ length: 3 }, () => batch(jobs, key)));
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect((await batch([...jobs].reverse(), key)).status).toBe(409);
    await settled(id, 2);
    expect(target.calls).toHaveLength(2);
  });

  it('leave their Idempotency-Key free when they were refused as a whole', async () => {
    const { name } = await task();
    const key = { 'idempotency-key': `free-${name}` };
    expect((await batch([], key)).status).toBe(422);
    expect((await batch([{ type: name }], key)).status).toBe(202);
  });
});
