import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { clientWith, keyFor } from '../support/keys.js';

describe('limits', () => {
  let stack: Stack;
  const running: RunningApi[] = [];

  beforeAll(async () => {
    stack = await openStack();
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((api) => api.stop()));
  });

  afterAll(() => stack?.close());

  const start = async (env: Record<string, string>): Promise<RunningApi> => {
    const limits = { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0' };
    const api = await startApi(stack, { AUTH_MODE: 'keys', ...limits, ...env });
    running.push(api);
    // The first request of a process is slow, and the server that counts is not waited for long.
    await (await client(api, 'first')).get('/tasks');
    return api;
  };
  const client = async (api: RunningApi, tenantId = 'acme') =>
    clientWith(api.url, (await keyFor(api.platform, tenantId, 'ADMIN')).text);

  /** Stops time at the middle of a window, for every process here: a busy machine changes nothing. */
  function freeze(...apis: RunningApi[]): void {
    const now = Math.floor(apis[0].platform.clock.now() / 60_000) * 60_000 + 90_500;
    for (const { platform } of apis) platform.clock.now = () => now;
  }

  const refused = ({ status, data, headers }: AxiosResponse) => [status, data.type, headers['retry-after']];
  const statuses = (answers: AxiosResponse[]) => answers.map(({ status }) => status);

  it('hold for a key over all processes, and say how it stands', async () => {
    const [one, two] = [await start({ RATE_LIMIT_PER_KEY: '10' }), await start({ RATE_LIMIT_PER_KEY: '10' })];
    const { text } = await keyFor(one.platform, 'acme', 'VIEWER');
    freeze(one, two);
    const [here, there] = [clientWith(one.url, text), clientWith(two.url, text)];
    const first = await here.get('/tasks');
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '10',
      'ratelimit-remaining': '9',
      'ratelimit-reset': '1',
    });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? here : there).get('/tasks')));
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(9);
    const late = await there.get('/tasks');
    expect(refused(late)).toEqual([429, 'urn:punctual:problem:rate-limited', '1']);
    expect(late.headers['ratelimit-remaining']).toBe('0');
    const another = clientWith(two.url, (await keyFor(one.platform, 'acme', 'VIEWER')).text);
    expect((await another.get('/tasks')).status).toBe(200);
  });

  it('hold for an address, and are used up ten times as fast by keys that are none', async () => {
    const api = await start({ RATE_LIMIT_PER_ADDRESS: '20', TRUST_PROXY: 'loopback' });
    const { text } = await keyFor(api.platform, 'acme', 'VIEWER');
    freeze(api);
    const from = (address: string, key = text) =>
      clientWith(api.url, key, { 'x-forwarded-for': address }).get('/tasks');
    const good = [];
    for (let i = 0; i < 21; i++) good.push(await from('10.0.0.1'));
    expect(statuses(good)).toEqual([...Array<number>(20).fill(200), 429]);
    const bad = [];
    for (let i = 0; i < 3; i++) bad.push(await from('10.0.0.2', `pk_aaaaaaaaaaaa_${'a'.repeat(43)}`));
    expect(statuses(bad)).toEqual([401, 401, 429]);
    expect((await from('10.0.0.2')).status).toBe(429);
    expect((await from('10.0.0.3')).status).toBe(200);
    expect((await api.http.get(`${api.url}/healthz`)).status).toBe(200);
  });

  it('hold for an address over all processes', async () => {
    const env = { RATE_LIMIT_PER_ADDRESS: '10', TRUST_PROXY: 'loopback' };
    const [one, two] = [await start(env), await start(env)];
    const { text } = await keyFor(one.platform, 'acme', 'VIEWER');
    freeze(one, two);
    const [here, there] = [one, two].map(({ url }) => clientWith(url, text, { 'x-forwarded-for': '10.3.0.1' }));
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? here : there).get('/tasks')));
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(10);
    for (const http of [here, there]) {
      expect(refused(await http.get('/tasks'))).toEqual([429, 'urn:punctual:problem:rate-limited', '1']);
    }
  });

  it('are used up by callbacks that are refused, whatever for, and by no others', async () => {
    const api = await start({ RATE_LIMIT_PER_ADDRESS: '30', TRUST_PROXY: 'loopback' });
    const { id, token } = await armedRun(api);
    freeze(api);
    const callback = (address: string, run: string, shown: string, body: object = { status: 'SUCCESS' }) =>
      clientWith(api.url, shown, { 'x-forwarded-for': address }).post(`/callbacks/${run}`, body);
    const guesses = [
      await callback('10.2.0.1', id, 'a-wrong-token'),
      await callback('10.2.0.1', '1700000000-1', 'a-wrong-token'),
      await callback('10.2.0.1', id, 'a-wrong-token', { status: 'WHAT' }),
    ];
    expect(statuses(guesses)).toEqual([401, 404, 422]);
    expect(refused(await callback('10.2.0.1', id, 'a-wrong-token'))).toEqual([
      ...[429, 'urn:punctual:problem:rate-limited', '1'],
    ]);
    const good = [];
    for (let i = 0; i < 40; i++) good.push(await callback('10.2.0.2', id, token));
    expect(statuses(good)).toEqual(Array(40).fill(200));
    const others = [];
    for (let i = 0; i < 10; i++) others.push(await callback('10.2.0.2', id, token, { status: 'FAILURE' }));
    expect(statuses(others)).toEqual(Array(10).fill(409));
  });

  it('are not moved by an address that nobody vouches for', async () => {
    const api = await start({ RATE_LIMIT_PER_ADDRESS: '2' });
    const { text } = await keyFor(api.platform, 'acme', 'VIEWER');
    freeze(api);
    const answers = [];
    for (const address of ['10.1.0.1', '10.1.0.2', '10.1.0.3']) {
      answers.push(await clientWith(api.url, text, { 'x-forwarded-for': address }).get('/tasks'));
    }
    expect(statuses(answers)).toEqual([200, 200, 429]);
  });

  it('hold in each process by itself while the server that counts is away', async () => {
    const api = await start({ RATE_LIMIT_PER_KEY: '5' });
    const http = await client(api);
    api.platform.queue.counters.add = () => Promise.reject(new Error('away'));
    freeze(api);
    const answers = [];
    for (let i = 0; i < 7; i++) answers.push(await http.get('/tasks'));
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  it('refuse a task beyond the quota of its tenant, and of no other', async () => {
    const api = await start({ QUOTA_TASKS: '2' });
    const [few, others] = [await client(api, 'few'), await client(api, 'others')];
    const made = [];
    for (let i = 0; i < 3; i++) made.push(await few.post('/tasks', taskBody()));
    expect(statuses(made)).toEqual([201, 201, 429]);
    expect(refused(made[2])).toEqual([429, 'urn:punctual:problem:quota-exceeded', '60']);
    expect(made[2].data.detail).toContain('QUOTA_TASKS');
    expect((await others.post('/tasks', taskBody())).status).toBe(201);
    await few.delete(`/tasks/${made[0].data.id}`);
    expect((await few.post('/tasks', taskBody())).status).toBe(201);
  });

  const taskOf = async (http: AxiosInstance, name: string): Promise<string> =>
    (await http.post('/tasks', taskBody({ name, max_concurrency: 0 }))).data.id;

  it('refuse runs beyond the quota of a minute, all of a batch or none, over all processes', async () => {
    const [one, two] = [await start({ QUOTA_RUNS_PER_MINUTE: '6' }), await start({ QUOTA_RUNS_PER_MINUTE: '6' })];
    const { text } = await keyFor(one.platform, 'minute', 'ADMIN');
    const [here, there] = [clientWith(one.url, text), clientWith(two.url, text)];
    const id = await taskOf(here, 'minute');
    freeze(one, two);
    const batch = (count: number) => ({ jobs: Array(count).fill({ type: 'minute' }) });
    expect((await here.post('/jobs/batch', batch(4))).status).toBe(202);
    const tooMany = await there.post('/jobs/batch', batch(3));
    expect(refused(tooMany)).toEqual([429, 'urn:punctual:problem:quota-exceeded', '30']);
    expect((await here.get('/runs')).data.items).toHaveLength(4);
    const singles = [];
    for (let i = 0; i < 3; i++)
      singles.push(await here.post(i % 2 ? '/jobs' : `/tasks/${id}/runs`, i % 2 ? { type: 'minute' } : {}));
    expect(statuses(singles).filter((status) => status === 202).length).toBeLessThanOrEqual(2);
    expect(singles[2].status).toBe(429);
    const { client: rows } = one.platform.database;
    const [{ id: run }] = (await here.get('/runs')).data.items as { id: string }[];
    await rows.taskRun.update({ where: { id: run }, data: { status: 'PENDING' } });
    for (const what of ['replay', 'retry']) {
      expect([what, (await here.post(`/runs/${run}/${what}`)).data.detail]).toEqual([
        ...[what, expect.stringContaining('QUOTA_RUNS_PER_MINUTE')],
      ]);
    }
    expect((await here.get(`/runs/${run}`)).data.status).toBe('PENDING');
    expect((await (await client(one, 'another')).post('/jobs', { type: 'none' })).status).toBe(422);
  });

  it('refuse nobody the answer that was given before: an Idempotency-Key that comes again asks for nothing new', async () => {
    const api = await start({ QUOTA_RUNS_PER_MINUTE: '2', QUOTA_UNFINISHED_RUNS: '2' });
    const http = await client(api, 'repeats');
    const id = await taskOf(http, 'repeats');
    freeze(api);
    const ask = (key: string) => http.post(`/tasks/${id}/runs`, {}, { headers: { 'idempotency-key': key } });
    const [first, second, third] = [await ask('a'), await ask('b'), await ask('c')];
    expect(statuses([first, second, third])).toEqual([202, 202, 429]);
    for (let i = 0; i < 3; i++) {
      const again = await ask('a');
      expect([again.status, again.data]).toEqual([202, first.data]);
    }
  });

  it('refuse runs while too many of the tenant are unfinished, whatever made them; those for later count', async () => {
    const api = await start({ QUOTA_UNFINISHED_RUNS: '3' });
    const http = await client(api, 'unfinished');
    const id = await taskOf(http, 'unfinished');
    const later = { start_time: new Date(api.platform.clock.now() + 3_600_000).toISOString() };
    const runs = [await http.post(`/tasks/${id}/runs`), await http.post(`/tasks/${id}/runs`, later)];
    expect(statuses(runs)).toEqual([202, 202]);
    expect((await http.post('/jobs/batch', { jobs: Array(2).fill({ type: 'unfinished' }) })).status).toBe(429);
    expect((await http.post(`/tasks/${id}/runs`)).status).toBe(202);
    const full = await http.post(`/tasks/${id}/runs`);
    expect(refused(full)).toEqual([429, 'urn:punctual:problem:quota-exceeded', '5']);
    expect(full.data.detail).toContain('QUOTA_UNFINISHED_RUNS');
    await http.post(`/runs/${runs[1].data.id}/cancel`);
    await http.post(`/runs/${runs[0].data.id}/cancel`);
    await expect(eventuallyAccepted(() => http.post(`/tasks/${id}/runs`))).resolves.toBe(202);
  });
});

/** A run that waits for its callback, and the token it waits for. */
async function armedRun({ platform, url }: RunningApi): Promise<{ id: string; token: string }> {
  const http = clientWith(url, (await keyFor(platform, 'armed', 'ADMIN')).text);
  const task = await http.post('/tasks', taskBody({ exec_type: 'ASYNC' }));
  const { id } = (await http.post(`/tasks/${task.data.id}/runs`)).data as { id: string };
  const token = 't'.repeat(43);
  const tokenHash = createHash('sha256').update(token).digest('hex');
  const { client } = platform.database;
  await client.runCallback.create({
    data: { runId: id, attempt: 1, execId: 'first', tokenHash, startedAt: new Date() },
  });
  await client.taskRun.update({
    where: { id },
    data: { status: 'WAITING_CALLBACK', execId: 'first', attempt: 1, startedAt: new Date() },
  });
  return { id, token };
}

/** The count is looked at once a second. */
async function eventuallyAccepted(ask: () => Promise<AxiosResponse>): Promise<number> {
  const end = performance.now() + 20_000;
  for (;;) {
    const { status } = await ask();
    if (status !== 429 || performance.now() > end) return status;
  }
}
