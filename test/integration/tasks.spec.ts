import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';

describe('tasks over HTTP', () => {
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

  const create = async (fields: object = {}) => {
    const answer = await api.http.post('/tasks', taskBody(fields));
    expect(answer).toMatchObject({ status: 201 });
    return answer.data;
  };

  it('takes the create request of the first seed document as it is written there', async () => {
    const answer = await api.http.post('/tasks', {
      name: 'sync_stats',
      description: '统计同步',
      cron_expr: '*/15 * * * * *',
      exec_type: 'SYNC',
      http_method: 'POST',
      target_url: 'http://svc.internal/api/sync',
      headers_json: '{"Content-Type":"application/json"}',
      body_template: '{"run_id":"{{run_id}}"}',
      timeout_seconds: 10,
      max_concurrency: 1,
      concurrency_policy: 'QUEUE',
      overlap_action: 'SKIP',
      failure_action: 'RUN_NEW',
    });
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ location: `/api/v1/tasks/${answer.data.id}`, etag: '"1"' });
    expect(answer.data).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      description: '统计同步',
      headers_json: { 'Content-Type': 'application/json' },
      cron_expr: '*/15 * * * * *',
      type: 'cron',
    });
    const again = await api.http.get(answer.headers.location.replace('/api/v1', ''));
    expect(again.data).toEqual(answer.data);
  });

  it('gives every field its default and shows the read-only ones', async () => {
    const task = await create({ name: 'plain' });
    expect(task).toEqual({
      id: task.id,
      version: 1,
      type: 'on_demand',
      name: 'plain',
      description: null,
      category: null,
      creator: null,
      tags: [],
      cron_expr: null,
      cron_source: null,
      timezone: 'UTC',
      executor: 'HTTP',
      exec_type: 'SYNC',
      http_method: 'POST',
      target_url: 'http://127.0.0.1:9/hook',
      headers_json: null,
      body_template: null,
      command: null,
      timeout_seconds: 10,
      retry_policy_json: { strategy: 'none' },
      max_concurrency: 1,
      concurrency_policy: 'QUEUE',
      queue_limit: 1000,
      overlap_action: 'ALLOW',
      failure_action: 'RUN_NEW',
      catch_up_mode: 'NONE',
      catch_up_limit: 100,
      max_lateness_seconds: null,
      start_at: null,
      end_at: null,
      jitter_seconds: 0,
      priority: 0,
      callback_method: 'POST',
      callback_timeout_sec: 3600,
      heartbeat_timeout_sec: null,
      late_policy: 'RECORD',
      need_manual: false,
      on_node_lost: 'RETRY',
      notify: null,
      log_mode: 'trans_log',
      status: 'ENABLED',
      next_fire_at: null,
      active_runs: 0,
      queued_runs: 0,
      last_run: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: task.created_at,
    });
  });

  it('stores every field it is given', async () => {
    const given = {
      name: 'everything · 完整 🙂',
      description: 'line one\nline two',
      category: 'reports',
      creator: 'team-a',
      tags: ['b', 'a', 'ü'],
      cron_expr: 'CRON_TZ=Asia/Tokyo 30 9 * * MON-FRI',
      timezone: 'Europe/Berlin',
      exec_type: 'ASYNC',
      http_method: 'PUT',
      target_url: 'https://example.com/x/{{task_id}}?run={{run_id}}',
      headers_json: { 'X-Run': '{{run_id}}', Authorization: 'Bearer {{callback_token}}' },
      body_template: '{"p": {{payload.a.b}}, "cb": "{{callback_url}}"}',
      timeout_seconds: 86400,
      retry_policy_json: {
        strategy: 'exponential',
        max_attempts: 5,
        interval_seconds: 2,
        max_interval_seconds: 60,
        jitter: 0.5,
        retry_on: ['network', '5xx', 429],
      },
      max_concurrency: 0,
      concurrency_policy: 'PARALLEL',
      queue_limit: 0,
      overlap_action: 'CANCEL_PREV',
      failure_action: 'RETRY',
      catch_up_mode: 'FULL',
      catch_up_limit: 10000,
      max_lateness_seconds: 30,
      start_at: '2026-01-01T00:00:00+02:00',
      end_at: '2099-01-01T00:00:00.500Z',
      jitter_seconds: 3600,
      priority: 9,
      callback_method: 'PUT',
      callback_timeout_sec: 2592000,
      heartbeat_timeout_sec: 60,
      late_policy: 'ACCEPT',
      need_manual: true,
      notify: {
        success: { url: 'https://example.com/ok', method: 'POST' },
        error: { url: 'https://example.com/bad' },
        security: { type: 'aksk', ak: 'key', sk: 'hush' },
      },
      log_mode: 'none',
      status: 'DISABLED',
    };
    const answer = await api.http.post('/tasks', given);
    expect(answer.data).toMatchObject({
      ...given,
      cron_expr: 'CRON_TZ=Asia/Tokyo 0 30 9 * * 1-5',
      cron_source: given.cron_expr,
      start_at: '2025-12-31T22:00:00.000Z',
      end_at: '2099-01-01T00:00:00.500Z',
      headers_json: { ...given.headers_json, Authorization: { secret: true } },
      notify: { ...given.notify, security: { type: 'aksk', ak: 'key' } },
      next_fire_at: null,
    });
    expect(JSON.stringify((await api.http.get(`/tasks/${answer.data.id}`)).data)).not.toContain('hush');
  });

  it('plans the next due second, within start and end', async () => {
    const before = api.platform.clock.now();
    const every = await create({ cron_expr: '* * * * * *' });
    expect(Date.parse(every.next_fire_at)).toBeGreaterThan(before);
    expect(Date.parse(every.next_fire_at)).toBeLessThanOrEqual(api.platform.clock.now() + 1000);
    expect(await create({ cron_expr: '@daily', start_at: '2098-12-31T12:00:00Z' })).toMatchObject({
      next_fire_at: '2099-01-01T00:00:00.000Z',
    });
    expect(await create({ cron_expr: '* * * * *', end_at: '2020-01-01T00:00:00Z' })).toMatchObject({
      next_fire_at: null,
    });
  });

  it('refuses a name that a live task has, and frees it when the task is deleted', async () => {
    const task = await create({ name: 'taken' });
    const second = await api.http.post('/tasks', taskBody({ name: 'taken' }));
    expect(second).toMatchObject({ status: 409, data: { type: 'urn:punctual:problem:name-taken' } });
    expect(fieldsOf(second)).toEqual(['name']);
    expect((await api.http.post('/tasks', taskBody({ name: 'Taken' }))).status).toBe(201);

    expect(await api.http.delete(`/tasks/${task.id}`)).toMatchObject({ status: 204, data: '' });
    expect((await api.http.get(`/tasks/${task.id}`)).status).toBe(404);
    expect((await api.http.delete(`/tasks/${task.id}`)).status).toBe(404);
    expect((await api.http.post('/tasks', taskBody({ name: 'taken' }))).status).toBe(201);
  });

  it('cancels the unfinished runs of a deleted task and leaves the finished ones alone', async () => {
    const task = await create({ tags: ['gone'] });
    const { client } = api.platform.database;
    const at = new Date(0);
    const run = (id: string, status: string, fields: object = {}) => ({
      ...{ id: `000000000${id}-${task.id}`, taskId: BigInt(task.id), taskName: task.name, trigger: 'CRON', status },
      ...{ scheduledTime: at, traceId: '0'.repeat(32), wakeAt: at, ...fields },
    });
    const started = { execId: 'x', startedAt: at };
    await client.taskRun.createMany({
      data: [
        run('1', 'SCHEDULED'),
        run('2', 'QUEUED'),
        run('3', 'RUNNING', started),
        run('4', 'WAITING_CALLBACK', started),
        run('5', 'RETRYING', started),
        run('6', 'SUCCESS', { ...started, finishedAt: at }),
      ],
    });
    await client.taskState.update({ where: { taskId: BigInt(task.id) }, data: { activeRuns: 4, queuedRuns: 1 } });
    await api.http.delete(`/tasks/${task.id}`);
    const { data } = await api.http.get('/runs', { params: { task_id: task.id } });
    expect(data.items.map((item: { status: string }) => item.status)).toEqual([
      'SUCCESS',
      ...Array(5).fill('CANCELED'),
    ]);
    expect(data.items[1]).toMatchObject({ error_code: 'TASK_DELETED', finished_at: expect.any(String) });
    const row = await client.task.findUniqueOrThrow({
      where: { id: BigInt(task.id) },
      include: { tags: true, state: true },
    });
    expect(row).toMatchObject({
      deleted: true,
      liveName: null,
      state: { nextFireAt: null, activeRuns: 0, queuedRuns: 0 },
      tags: [],
    });
  });

  it('shows the last run of every task', async () => {
    const task = await create();
    const run = { id: `1700000000-${task.id}`, taskId: BigInt(task.id), taskName: task.name, trigger: 'CRON' };
    await api.platform.database.client.taskRun.create({
      data: { ...run, status: 'SCHEDULED', scheduledTime: new Date(1.7e12), traceId: '0'.repeat(32) },
    });
    const where = { taskId: BigInt(task.id) };
    await api.platform.database.client.taskState.update({ where, data: { lastRunId: run.id } });
    const expected = {
      last_run: { id: run.id, status: 'SCHEDULED', scheduled_time: '2023-11-14T22:13:20.000Z', finished_at: null },
    };
    expect((await api.http.get(`/tasks/${task.id}`)).data).toMatchObject(expected);
    expect((await api.http.get('/tasks?limit=1')).data.items[0]).toMatchObject(expected);
  });

  it.each(['0', '-1', 'abc', '01', '9223372036854775808', '99999999999999999999', '1.5', '%00'])(
    'knows no task %s',
    async (id) => expect((await api.http.get(`/tasks/${id}`)).status).toBe(404),
  );
});
