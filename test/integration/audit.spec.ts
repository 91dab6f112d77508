import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxiosInstance } from 'axios';
import { eventually, openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { clientWith, keyFor } from '../support/keys.js';

interface Entry {
  id: string;
  by: string | null;
  key_id: string | null;
  action: string;
  entity: string;
  entity_id: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  trace_id: string;
  address: string;
}

describe('the audit log', () => {
  let stack: Stack;
  let api: RunningApi;
  let admin: AxiosInstance;
  let keyId: string;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { AUTH_MODE: 'keys' });
    const key = await keyFor(api.platform, 'acme', 'ADMIN', 'kim');
    keyId = key.id;
    admin = clientWith(api.url, key.text);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const entries = async (query = ''): Promise<Entry[]> => (await admin.get(`/audit?limit=200${query}`)).data.items;
  const of = (entity: string, id: string) => entries(`&entity=${entity}&entity_id=${id}`);

  it('tells who did what to a task, in which request, what it was and what it is', async () => {
    const created = await admin.post('/tasks', taskBody({ name: 'audited', timeout_seconds: 5 }));
    const { id } = created.data;
    await admin.patch(`/tasks/${id}`, { timeout_seconds: 7 });
    await admin.put(`/tasks/${id}`, taskBody({ name: 'replaced', timeout_seconds: 7 }));
    await admin.post(`/tasks/${id}/disable`);
    await admin.post(`/tasks/${id}/disable`);
    await admin.post(`/tasks/${id}/resume`);
    await admin.delete(`/tasks/${id}`);
    const told = (await of('task', id)).reverse();
    expect(told.map(({ action }) => action)).toEqual(
      ['create', 'patch', 'replace', 'disable', 'enable', 'delete'].map((what) => `task.${what}`),
    );
    expect(told[0]).toMatchObject({ by: 'kim', key_id: keyId, before: null, trace_id: created.headers['x-trace-id'] });
    expect(told[0].address).toMatch(/127\.0\.0\.1$/);
    expect(told[0].after).toMatchObject({ name: 'audited', timeout_seconds: 5, version: 1 });
    expect(told[1]).toMatchObject({
      before: { timeout_seconds: 5, version: 1 },
      after: { timeout_seconds: 7, version: 2 },
    });
    expect(Object.keys(told[1].after!).sort()).toEqual(['timeout_seconds', 'version']);
    expect(told[3]).toMatchObject({ before: { status: 'ENABLED' }, after: { status: 'DISABLED' } });
    expect(told[5]).toMatchObject({ before: { name: 'replaced' }, after: null });
  });

  it('has nothing of what came to nothing', async () => {
    const { id } = (await admin.post('/tasks', taskBody({ name: 'steady' }))).data;
    expect((await admin.patch(`/tasks/${id}`, { version: 9, priority: 1 })).status).toBe(409);
    expect((await admin.post('/tasks', taskBody({ name: 'steady' }))).status).toBe(409);
    expect((await admin.post('/tasks', { name: 'no target' })).status).toBe(422);
    expect((await of('task', id)).map(({ action }) => action)).toEqual(['task.create']);
    expect((await entries('&action=task.create')).filter(({ after }) => after?.name === 'no target')).toEqual([]);
  });

  it('never has a secret, but shows that one was changed', async () => {
    const headers_json = { authorization: 'Bearer hunter2', 'x-plain': 'seen' };
    const notify = {
      success: { url: 'http://127.0.0.1:9/n' },
      security: { type: 'aksk', ak: 'me', sk: 'hunter2-secret-key' },
    };
    const target_url = 'http://127.0.0.1:9/hook?api_key=hunter2';
    const body_template = '{"password":"hunter2","id":"{{run_id}}"}';
    const { id } = (await admin.post('/tasks', taskBody({ headers_json, notify, target_url, body_template }))).data;
    await admin.patch(`/tasks/${id}`, { headers_json: { authorization: 'Bearer hunter2-too', 'x-plain': 'seen' } });
    const told = await of('task', id);
    expect(JSON.stringify(told)).not.toContain('hunter2');
    expect(told[0]).toMatchObject({
      before: { headers_json: { authorization: '[redacted]', 'x-plain': 'seen' } },
      after: { headers_json: { authorization: '[redacted]', 'x-plain': 'seen' } },
    });
    const rows = await api.platform.database.client.auditEntry.findMany({ where: { entityId: id } });
    expect(JSON.stringify(rows.map(({ before, after }) => [before, after]))).not.toContain('hunter2');
  });

  it('has what is done to runs, backfills and deliveries, and whose decision it was', async () => {
    const manual = { cron_expr: '0 0 3 * * *', need_manual: true, max_concurrency: 0 };
    const task = (await admin.post('/tasks', taskBody(manual))).data;
    const run = (await admin.post(`/tasks/${task.id}/runs`, { payload: 1 })).data;
    await admin.post(`/runs/${run.id}/cancel`, { reason: 'not today' });
    await admin.post(`/runs/${run.id}/cancel`);
    const again = (await admin.post(`/runs/${run.id}/replay`)).data;
    const { client } = api.platform.database;
    await client.taskRun.update({ where: { id: again.id }, data: { status: 'PENDING' } });
    await admin.post(`/runs/${again.id}/retry`, { remark: 'once more', payload: { password: 'hunter2' } });
    await client.taskRun.update({ where: { id: again.id }, data: { status: 'PENDING' } });
    await admin.post(`/runs/${again.id}/resolve`, { remark: 'by hand', by: 'somebody else' });
    const told = async (id: string) => (await of('run', id)).reverse();
    expect(await told(run.id)).toMatchObject([
      { action: 'run.create', after: { id: run.id, task_id: task.id, status: 'SCHEDULED' } },
      { action: 'run.cancel', before: { status: 'SCHEDULED' }, after: { status: 'CANCELED', reason: 'not today' } },
    ]);
    expect(await told(again.id)).toMatchObject([
      { action: 'run.replay', by: 'kim' },
      {
        ...{ action: 'run.retry', by: 'kim', before: { status: 'PENDING' } },
        after: { status: 'RETRYING', remark: 'once more', payload_edited: true },
      },
      { action: 'run.resolve', by: 'kim', before: { status: 'PENDING' }, after: { status: 'MANUALLY_PROCESSED' } },
    ]);
    const { handled } = (await admin.get(`/runs/${again.id}`)).data;
    expect(handled).toMatchObject([
      { action: 'RETRY', by: 'kim' },
      { action: 'RESOLVE', by: 'kim' },
    ]);

    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-05T00:00:00Z' };
    const backfill = (await admin.post(`/tasks/${task.id}/backfill`, range)).data;
    for (let i = 0; i < 2; i++) await admin.post(`/backfills/${backfill.id}/cancel`);
    const backfilled = (await of('backfill', backfill.id)).reverse();
    expect(backfilled.map(({ action }) => action)).toEqual(['backfill.create', 'backfill.cancel']);

    const now = new Date(api.platform.clock.now());
    const about = {
      tenantId: 'acme',
      runId: run.id,
      taskId: BigInt(task.id),
      kind: 'error',
      url: 'http://127.0.0.1:9/',
    };
    await client.outbox.create({ data: { id: 'd-9', ...about, status: 'FAILED', endedAt: now, createdAt: now } });
    expect((await admin.post('/deliveries/d-9/redeliver')).status).toBe(202);
    expect(await of('delivery', 'd-9')).toMatchObject([{ before: { status: 'FAILED' }, after: { status: 'PENDING' } }]);
  });

  it('has who drained a process, once for each time that it changed something', async () => {
    const root = clientWith(api.url, (await keyFor(api.platform, '*', 'ADMIN', 'root')).text, { 'x-tenant': 'acme' });
    const own = () => root.get<{ items: { id: string }[] }>('/cluster/nodes').then(({ data }) => data.items[0]);
    const { id } = await eventually(own, 'the node of the API');
    for (const what of ['drain', 'drain', 'undrain', 'undrain']) {
      expect((await root.post(`/cluster/nodes/${id}/${what}`)).status).toBe(200);
    }
    expect((await root.post('/cluster/nodes/nobody/drain')).status).toBe(404);
    expect(await of('node', id)).toMatchObject([
      { action: 'node.undrain', by: 'root', before: { draining: true }, after: { draining: false } },
      { action: 'node.drain', by: 'root', before: { draining: false }, after: { draining: true } },
    ]);
    expect(await of('node', 'nobody')).toEqual([]);
  });

  it('has one entry for a batch, with all its runs', async () => {
    await admin.post('/tasks', taskBody({ name: 'batched', max_concurrency: 0 }));
    const jobs = [1, 2, 3].map(() => ({ type: 'batched' }));
    const { items } = (await admin.post('/jobs/batch', { jobs })).data as { items: { id: string }[] };
    const [entry] = await of('run', items[0].id);
    expect((entry.after!.runs as { id: string }[]).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  });

  it('has who made and revoked keys', async () => {
    const { id } = (await admin.post('/api-keys', { name: 'robot', role: 'VIEWER' })).data;
    await admin.delete(`/api-keys/${id}`);
    const told = (await of('api_key', id)).reverse();
    expect(told.map(({ action, by }) => [action, by])).toEqual([
      ['api_key.create', 'kim'],
      ['api_key.revoke', 'kim'],
    ]);
    expect(told[1]).toMatchObject({ before: { state: 'active' }, after: { state: 'revoked' } });
    expect(await of('api_key', keyId)).toMatchObject([{ action: 'api_key.create', by: 'keys:create', key_id: null }]);
  });

  it('lists by who, what and when, a page at a time', async () => {
    const page = (await admin.get('/audit?limit=2&by=kim')).data;
    expect(page.items).toHaveLength(2);
    const next = (await admin.get(`/audit?limit=2&by=kim&cursor=${page.next_cursor}`)).data;
    expect(Number(next.items[0].id)).toBeLessThan(Number(page.items[1].id));
    const kinds = new Set((await entries('&action=task.patch')).map(({ action }) => action));
    expect(kinds).toEqual(new Set(['task.patch']));
    expect(await entries('&by=nobody')).toEqual([]);
    expect(await entries('&to=2020-01-01T00:00:00Z')).toEqual([]);
    expect((await entries('&from=2020-01-01T00:00:00Z')).length).toBeGreaterThan(5);
    expect((await admin.get('/audit?limit=0')).status).toBe(422);
  });
});

describe('the audit log where nobody is asked for a key', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  it('has what was changed, but not by whom, and not what was only asked for', async () => {
    const { id } = (await api.http.post('/tasks', taskBody())).data;
    await api.http.post(`/tasks/${id}/runs`);
    const { items } = (await api.http.get('/audit')).data;
    expect(items).toMatchObject([{ action: 'task.create', entity_id: id, by: null, key_id: null, tenant: 'default' }]);
  });

  it('is of the tenant that a request names', async () => {
    const headers = { 'x-tenant': 'other' };
    const { id } = (await api.http.post('/tasks', taskBody(), { headers })).data;
    expect((await api.http.get(`/tasks/${id}`)).status).toBe(404);
    expect((await api.http.get(`/tasks/${id}`, { headers })).status).toBe(200);
    const { items } = (await api.http.get('/audit', { headers: { 'x-tenant': '*' } })).data;
    expect(items.map(({ tenant }: { tenant: string }) => tenant)).toEqual(['other', 'default']);
  });
});
