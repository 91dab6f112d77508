import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';

describe('the service around the resources', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { DEMO_TARGET: 'enabled' });
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const get = (path: string, headers = {}) => api.http.get(`${api.url}${path}`, { headers });

  it('is alive and ready', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, data: { status: 'ok' } });
    const isReady = async () => {
      const answer = await get('/readyz');
      return answer.status === 200 && answer;
    };
    expect(await eventually(isReady, 'it is ready')).toMatchObject({
      status: 200,
      data: { status: 'ready', checks: { database: { ok: true }, queue: { ok: true } } },
    });
  });

  it('puts a trace id on every answer: the caller’s if it has a valid one', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceOf = async (traceparent: string) =>
      (await get('/api/v1/tasks/0', { traceparent })).headers['x-trace-id'];
    expect(await traceOf(`00-${trace}-00f067aa0ba902b7-01`)).toBe(trace);
    expect(await traceOf(`cc-${trace}-00f067aa0ba902b7-01-what-the-future-will-be-like`)).toBe(trace);
    for (const bad of ['', 'x', `ff-${trace}-00f067aa0ba902b7-01`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) {
      const own = await traceOf(bad);
      expect(own).toMatch(/^[0-9a-f]{32}$/);
      expect(own).not.toBe(trace);
    }
    expect((await get('/healthz')).headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
    expect((await get('/docs')).headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('documents every route, with the limits that are checked', async () => {
    const { data } = await get('/docs/openapi.json');
    expect(Object.keys(data.paths).sort()).toEqual([
      '/api/v1/agents/claim',
      '/api/v1/agents/runs/{id}/complete',
      '/api/v1/agents/runs/{id}/fail',
      '/api/v1/agents/runs/{id}/heartbeat',
      '/api/v1/api-keys',
      '/api/v1/api-keys/{id}',
      '/api/v1/audit',
      '/api/v1/backfills/{id}',
      '/api/v1/backfills/{id}/cancel',
      '/api/v1/callbacks/{run_id}',
      '/api/v1/callbacks/{run_id}/heartbeat',
      '/api/v1/cluster/nodes',
      '/api/v1/cluster/nodes/{id}/drain',
      '/api/v1/cluster/nodes/{id}/undrain',
      '/api/v1/cron/preview',
      '/api/v1/deliveries',
      '/api/v1/deliveries/{id}',
      '/api/v1/deliveries/{id}/redeliver',
      '/api/v1/jobs',
      '/api/v1/jobs/batch',
      '/api/v1/runs',
      '/api/v1/runs/{id}',
      '/api/v1/runs/{id}/cancel',
      '/api/v1/runs/{id}/replay',
      '/api/v1/runs/{id}/resolve',
      '/api/v1/runs/{id}/retry',
      '/api/v1/stats',
      '/api/v1/tasks',
      '/api/v1/tasks/{id}',
      '/api/v1/tasks/{id}/backfill',
      '/api/v1/tasks/{id}/backfills',
      '/api/v1/tasks/{id}/disable',
      '/api/v1/tasks/{id}/enable',
      '/api/v1/tasks/{id}/explain',
      '/api/v1/tasks/{id}/next',
      '/api/v1/tasks/{id}/pause',
      '/api/v1/tasks/{id}/resume',
      '/api/v1/tasks/{id}/runs',
      '/api/v1/tasks/{id}/trigger',
      '/healthz',
      '/metrics',
      '/readyz',
    ]);
    const { CreateTaskRequest, TaskView } = data.components.schemas;
    expect(CreateTaskRequest.required).toEqual(['name']);
    expect(CreateTaskRequest.properties.timeout_seconds).toMatchObject({ minimum: 1, maximum: 86400, default: 10 });
    expect(CreateTaskRequest.properties.target_url).toMatchObject({ example: 'https://example.com/hook' });
    expect(Object.keys(TaskView.properties)).toEqual(
      expect.arrayContaining(['id', 'version', 'cron_expr', 'last_run']),
    );
    const { JobRequest, JobsBatchRequest, JobsBatchView } = data.components.schemas;
    expect(JobRequest.required).toEqual(['type']);
    expect(JobRequest.properties.priority).toMatchObject({ minimum: 0, maximum: 9 });
    expect(JobsBatchRequest.properties.jobs).toMatchObject({ minItems: 1, maxItems: 1000 });
    expect(JobsBatchView.properties.items.items.oneOf).toEqual([
      { $ref: '#/components/schemas/RunView' },
      { $ref: '#/components/schemas/ProblemView' },
    ]);
    expect((await get('/docs')).data).toContain('swagger-ui');
    expect((await get('/docs/swagger-ui.css')).headers['content-type']).toContain('text/css');
    expect((await get('/docs/package.json')).status).toBe(404);
  });

  it('the document refers to nothing that is not in it, and says of any JSON that it is any', async () => {
    const { data } = await get('/docs/openapi.json');
    const refs = [...JSON.stringify(data).matchAll(/"\$ref":"#\/components\/schemas\/([^"]*)"/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(refs)].filter((name) => !(name in data.components.schemas))).toEqual([]);
    expect(refs).toEqual(expect.arrayContaining(['RetryPolicyFields', 'NotifyFields']));
    const { RunView, TriggerRunRequest } = data.components.schemas;
    for (const any of [RunView.properties.payload, RunView.properties.result, TriggerRunRequest.properties.payload]) {
      expect(any.type).toBeUndefined();
      expect(any.oneOf).toHaveLength(5);
    }
  });

  it('the document is true about a task', async () => {
    const { data: task } = await api.http.post('/tasks', taskBody());
    const { data } = await get('/docs/openapi.json');
    expect(Object.keys(data.components.schemas.TaskView.properties).sort()).toEqual(Object.keys(task).sort());
    const { data: run } = await api.http.post(`/tasks/${task.id}/runs`);
    expect(Object.keys(data.components.schemas.RunView.properties).sort()).toEqual(Object.keys(run).sort());
  });

  it('the demo target answers anything with what it got', async () => {
    const echo = await api.http.request({
      method: 'PUT',
      url: `${api.url}/demo/echo?a=1`,
      data: '<x/>',
      headers: { 'content-type': 'application/xml' },
    });
    expect(echo.status).toBe(200);
    expect(echo.data).toMatchObject({ method: 'PUT', query: { a: '1' }, body: '<x/>' });
    expect((await get('/demo/echo')).data).toMatchObject({ method: 'GET', body: null });
  });

  it('the demo target answers this machine only, also behind a proxy', async () => {
    const behind = await startApi(stack, { DEMO_TARGET: 'enabled', TRUST_PROXY: 'loopback' });
    try {
      const echo = (headers: object) => behind.http.get(`${behind.url}/demo/echo`, { headers });
      expect((await echo({})).status).toBe(200);
      expect((await echo({ 'x-forwarded-for': '10.0.0.7' })).status).toBe(404);
    } finally {
      await behind.stop();
    }
  });

  it('previews a schedule', async () => {
    const { data } = await api.http.post('/cron/preview', {
      cron_expr: '30 2 * * *',
      timezone: 'Europe/Berlin',
      from: '2026-03-28T00:00:00Z',
      count: 3,
    });
    expect(data).toEqual({
      normalized: '0 30 2 * * *',
      description: 'at 02:30:00, every day, in Europe/Berlin',
      next: [
        { at: '2026-03-28T01:30:00.000Z', local: '2026-03-28T02:30:00+01:00' },
        { at: '2026-03-29T01:00:00.000Z', local: '2026-03-29T03:00:00+02:00', note: expect.any(String) },
        { at: '2026-03-30T00:30:00.000Z', local: '2026-03-30T02:30:00+02:00' },
      ],
    });
    expect((await api.http.post('/cron/preview', { cron_expr: '@daily' })).data.next).toHaveLength(10);
    const bad = await api.http.post('/cron/preview', { cron_expr: '* 25 * * *' });
    expect([bad.status, fieldsOf(bad)]).toEqual([422, ['cron_expr']]);
    expect(bad.data.errors[0].message).toMatch(/^hour: /);
  });

  it('tells when a task fires next', async () => {
    const task = (await api.http.post('/tasks', taskBody({ cron_expr: '@every 90s', end_at: '2099-01-01T00:00:00Z' })))
      .data;
    const next = async (query = '') =>
      (await api.http.get(`/tasks/${task.id}/next${query}`)).data.next.map((fire: { at: string }) =>
        Date.parse(fire.at),
      );
    const planned = Date.parse(task.next_fire_at);
    expect(await next('?count=3')).toEqual([planned, planned + 90_000, planned + 180_000]);
    const from = new Date(planned + 1000).toISOString();
    expect(await next(`?count=1&from=${from}`)).toEqual([planned + 90_000]);
    expect(await next('?from=2098-12-31T23:58:30Z')).toHaveLength(1);
    await api.http.post(`/tasks/${task.id}/disable`);
    expect(await next()).toEqual([]);
    expect((await api.http.get(`/tasks/${task.id}/next?count=0`)).status).toBe(422);
    expect((await api.http.get('/tasks/999999/next')).status).toBe(404);
  });
});
