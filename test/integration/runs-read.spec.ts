import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';

describe('reading runs', () => {
  let stack: Stack;
  let api: RunningApi;
  let one: { id: string; name: string };
  let two: { id: string; name: string };
  const START = 1_700_000_000;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
    one = (await api.http.post('/tasks', taskBody())).data;
    two = (await api.http.post('/tasks', taskBody())).data;
    await api.platform.database.client.taskRun.createMany({
      data: Array.from({ length: 10 }, (_, i) => run(i < 8 ? one : two, START + i, i)),
    });
    const waiting = { runId: `${START + 9}-${two.id}`, at: at(START + 100) };
    await api.platform.database.client.runAlarm.create({ data: waiting });
    await api.platform.database.client.runAttempt.createMany({ data: [attempt(2), attempt(1)] });
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const at = (second: number, ms = 0) => new Date(second * 1000 + ms);
  const run = (task: typeof one, second: number, i: number) => ({
    ...{ id: `${second}-${task.id}`, taskId: BigInt(task.id), taskName: task.name, scheduledTime: at(second) },
    ...{ trigger: i % 2 ? 'CRON' : 'API', category: i < 3 ? 'low' : null, creator: i === 5 ? 'me' : null },
    ...(i === 9
      ? { status: 'SCHEDULED' }
      : { status: i === 4 ? 'FAILED' : 'SUCCESS', startedAt: at(second, 250), finishedAt: at(second, 1250) }),
    ...{ payload: { n: i }, result: [i], traceId: `${i}`.repeat(32), maxAttempts: 3, execId: `e${i}` },
  });
  const attempt = (n: number) => ({
    ...{ runId: `${START + 4}-${one.id}`, attempt: n, execId: `e${n}`, outcome: 'FAILED', node: 'n' },
    ...{ startedAt: at(START + 4, n), finishedAt: at(START + 4, n + 30), httpStatus: 500, errorCode: 'HTTP_500' },
    ...{ request: '{"method":"POST"}', response: '{"body":"x"}' },
  });
  const seconds = async (path: string, params: object = {}) =>
    (await api.http.get(path, { params })).data.items.map(
      (item: { id: string }) => Number(item.id.slice(0, 10)) - START,
    );

  it('shows a run with all its fields', async () => {
    const { data } = await api.http.get(`/runs/${START + 1}-${one.id}`);
    expect(data).toEqual({
      id: `${START + 1}-${one.id}`,
      task_id: one.id,
      task_name: one.name,
      trigger: 'CRON',
      category: 'low',
      creator: null,
      priority: 0,
      status: 'SUCCESS',
      skip_reason: null,
      blocked_by: null,
      missed_from: null,
      missed_count: null,
      http_status: null,
      error_code: null,
      error_info: null,
      scheduled_time: '2023-11-14T22:13:21.000Z',
      queued_at: null,
      started_at: '2023-11-14T22:13:21.250Z',
      finished_at: '2023-11-14T22:13:22.250Z',
      archived_at: null,
      deadline: null,
      heartbeat_deadline: null,
      duration_ms: 1000,
      lateness_ms: 250,
      attempt: 0,
      max_attempts: 3,
      tick_attempt: 1,
      exec_id: 'e1',
      node: null,
      attempt_timeout_seconds: null,
      payload: { n: 1 },
      result: [1],
      progress: null,
      remark: null,
      trace_id: '1'.repeat(32),
      attempts: [],
      callbacks: [],
      late_callbacks: [],
      handled: [],
      deliveries: [],
    });
  });

  it('shows the attempts in order, and no times where there are none', async () => {
    const { data } = await api.http.get(`/runs/${START + 4}-${one.id}`);
    expect(data.attempts).toHaveLength(2);
    expect(data.attempts[0]).toEqual({
      attempt: 1,
      exec_id: 'e1',
      node: 'n',
      outcome: 'FAILED',
      started_at: '2023-11-14T22:13:24.001Z',
      finished_at: '2023-11-14T22:13:24.031Z',
      duration_ms: 30,
      request: { method: 'POST' },
      response: { body: 'x' },
      http_status: 500,
      error_code: 'HTTP_500',
      error_info: null,
    });
    const waiting = (await api.http.get(`/runs/${START + 9}-${two.id}`)).data;
    expect(waiting).toMatchObject({ duration_ms: null, lateness_ms: null, started_at: null, finished_at: null });
  });

  it.each(['nothing', '1700000000-999999', 'a'.repeat(65), '%00', 'a%20b'])('knows no run %s', async (id) =>
    expect((await api.http.get(`/runs/${id}`)).status).toBe(404),
  );

  it('lists newest first and filters', async () => {
    const all = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
    expect(await seconds('/runs')).toEqual(all);
    expect(await seconds('/runs', { task_id: two.id })).toEqual([9, 8]);
    expect(await seconds(`/tasks/${one.id}/runs`)).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
    expect(await seconds(`/tasks/${one.id}/runs`, { status: 'FAILED' })).toEqual([4]);
    expect(await seconds('/runs', { status: 'SCHEDULED' })).toEqual([9]);
    expect(await seconds('/runs', { trigger: 'CRON' })).toEqual([9, 7, 5, 3, 1]);
    expect(await seconds('/runs', { category: 'low' })).toEqual([2, 1, 0]);
    expect(await seconds('/runs', { creator: 'me' })).toEqual([5]);
    const [from, to] = [at(START + 3).toISOString(), at(START + 5).toISOString()];
    expect(await seconds('/runs', { from, to })).toEqual([5, 4, 3]);
    expect(await seconds('/runs', { from: at(START + 3, 1).toISOString(), to })).toEqual([5, 4]);
    expect(await seconds('/runs', { from: to, to: from })).toEqual([]);
  });

  it('walks through pages without gaps or repeats', async () => {
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const params = { limit: 3, to: at(START + 8).toISOString(), ...(cursor ? { cursor } : {}) };
      const { data } = await api.http.get('/runs', { params });
      walked.push(...data.items.map((item: { id: string }) => item.id));
      cursor = data.next_cursor;
    } while (cursor);
    expect(walked.map((id) => Number(id.slice(0, 10)) - START)).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('keeps any payload as it is', async () => {
    const body = '{"payload":{"constructor":"x","a":{"toString":[1,2.5,null,"\\u00fc"]},"":true}}';
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${api.url}/api/v1/tasks/${two.id}/runs`, { method: 'POST', headers, body });
    const { payload } = (await answer.json()) as { payload: object };
    expect(payload).toEqual((JSON.parse(body) as { payload: object }).payload);
  });

  it('has no runs of a task that is not there', async () => {
    expect((await api.http.get('/tasks/999999/runs')).status).toBe(404);
    expect(await seconds('/runs', { task_id: '999999' })).toEqual([]);
  });

  it('makes a run on demand, now or later, with what the request says', async () => {
    const trace = 'ab'.repeat(16);
    const task = (await api.http.post('/tasks', taskBody({ max_concurrency: 2, category: 'c' }))).data;
    const answer = await api.http.post(
      `/tasks/${task.id}/runs`,
      { payload: { a: [1] }, priority: 7, creator: 'me', attempt_timeout_seconds: 5 },
      { headers: { traceparent: `00-${trace}-${'1'.repeat(16)}-01` } },
    );
    expect(answer).toMatchObject({ status: 202, headers: { location: `/api/v1/runs/${answer.data.id}` } });
    expect(answer.data).toMatchObject({ task_id: task.id, trigger: 'MANUAL', status: 'SCHEDULED', trace_id: trace });
    expect(answer.data).toMatchObject({
      payload: { a: [1] },
      priority: 7,
      creator: 'me',
      category: 'c',
    });

    const start = Math.floor(Date.now() / 1000) + 300 * 86_400;
    const later = await api.http.post(`/tasks/${task.id}/trigger`, { start_time: at(start) });
    expect(later.data).toMatchObject({
      scheduled_time: at(start).toISOString(),
      id: expect.stringMatching(new RegExp(`^${start}-`)),
    });
    expect((await api.http.post(`/tasks/${task.id}/runs`)).data).toMatchObject({ status: 'SCHEDULED' });
    expect((await api.http.post(`/tasks/${task.id}/runs`)).data).toMatchObject({ status: 'QUEUED' });
    expect((await api.http.get(`/tasks/${task.id}`)).data).toMatchObject({ active_runs: 2, queued_runs: 1 });
    expect((await api.http.post('/tasks/999999/runs')).status).toBe(404);
    const bad = await api.http.post(`/tasks/${task.id}/runs`, { start_time: 'soon', priority: 10, more: 1 });
    expect([bad.status, fieldsOf(bad).sort()]).toEqual([422, ['more', 'priority', 'start_time']]);
  });
});
