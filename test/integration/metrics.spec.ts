import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import axios from 'axios';
import { createLogger } from '#config';
import { countEnabledTasks } from '#database';
import { EnqueueRuns, openPlatform, PLATFORM, type Platform, QueueDepths } from '#pipeline';
import { eventually, gate, insertTask, openStack, secondOf, type Stack, TargetStub } from '#testing';
import { HealthServer } from '../../apps/worker/src/health-server.js';
import { type RunningApi, startApi } from '../support/api.js';
import { configFor, type RunningWorker, startWorker, tickOn } from '../support/product.js';

describe('/metrics', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let health: HealthServer;
  let workerUrl: string;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/refuse', { status: 503 });
    api = await startApi(stack);
    worker = await startWorker(stack, { WORKER_CONCURRENCY: '7' });
    health = new HealthServer(worker.app.get<Platform>(PLATFORM));
    workerUrl = await health.listen();
  });

  afterAll(async () => {
    health?.close();
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const textOf = async (url: string) => (await axios.get<string>(`${url}/metrics`)).data;
  /** The pipeline's series, each with its value. */
  const seriesOf = async (url: string) =>
    Object.fromEntries(
      [...(await textOf(url)).matchAll(/^punctual_(\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    ) as Record<string, number>;
  const tick = () => tickOn(api.platform, worker.app.get(EnqueueRuns)).runOnce();
  const dueTask = (task: object) =>
    insertTask(api.platform.database, {
      cronExpr: '0 0 0 1 1 *',
      nextFireAt: secondOf(api.platform.clock.now()),
      ...task,
    });
  const settledAt = (url: string, series: string, count: number) =>
    eventually(async () => {
      const now = await seriesOf(url);
      return now[series] >= count ? now : null;
    }, `${series} is ${count}`);

  it('is served by API and worker as Prometheus wants it, with the process beside the pipeline', async () => {
    for (const url of [api.url, workerUrl]) {
      const { status, headers, data } = await axios.get<string>(`${url}/metrics`);
      expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
      expect(data).toContain('# TYPE punctual_lateness_seconds histogram');
      expect(data).toContain('process_cpu_seconds_total');
      expect(data).toContain('nodejs_eventloop_lag_seconds');
    }
    const unknown = await axios.get(`${workerUrl}/metric`, { validateStatus: () => true });
    expect([unknown.status, unknown.data.try]).toEqual([404, ['/healthz', '/readyz', '/metrics']]);
    expect((await axios.get(`${workerUrl}/healthz`)).data).toEqual({ status: 'ok' });
  });

  it('a tick moves the scheduler’s counters, its runs the worker’s', async () => {
    const [ticksBefore, runsBefore] = [await seriesOf(api.url), await seriesOf(workerUrl)];
    await dueTask({ targetUrl: `${target.url}/ok` });
    await dueTask({ targetUrl: `${target.url}/ok` });
    await dueTask({ targetUrl: `${target.url}/refuse` });
    await tick();

    const ticks = await seriesOf(api.url);
    const moved = (now: Record<string, number>, before: Record<string, number>, name: string) =>
      now[name] - before[name];
    expect(moved(ticks, ticksBefore, 'ticks_total{verdict="run"}')).toBe(3);
    expect(moved(ticks, ticksBefore, 'ticks_total{verdict="queue"}')).toBe(0);
    expect(moved(ticks, ticksBefore, 'tick_batch_size_sum')).toBe(3);
    expect(moved(ticks, ticksBefore, 'tick_batch_seconds_count')).toBe(1);
    expect(Math.abs(ticks.clock_offset_seconds)).toBeLessThan(5);

    await settledAt(workerUrl, 'runs_settled_total{status="SUCCESS"}', 2);
    const runs = await settledAt(workerUrl, 'runs_settled_total{status="FAILED"}', 1);
    expect(moved(runs, runsBefore, 'lateness_seconds_count{trigger="CRON"}')).toBe(3);
    expect(moved(runs, runsBefore, 'execution_seconds_count')).toBe(3);
    expect(moved(runs, runsBefore, 'settle_group_size_sum')).toBe(3);
    expect(moved(runs, runsBefore, 'dispatches_total')).toBe(3);
    const late = runs['lateness_seconds_sum{trigger="CRON"}'];
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThan(100);
    expect(moved(runs, runsBefore, 'queue_wait_seconds_count{trigger="CRON"}')).toBe(3);
    expect(runs['queue_wait_seconds_sum{trigger="CRON"}']).toBeLessThanOrEqual(late);
    const runsTotal = (status: string, reason = '') =>
      `runs_total{status="${status}",reason="${reason}",trigger="CRON"}`;
    expect(ticks[runsTotal('SCHEDULED')]).toBe(3);
    expect(runs).toMatchObject({ [runsTotal('SUCCESS')]: 2, [runsTotal('FAILED', 'HTTP_5XX')]: 1, retries_total: 0 });
    expect(runs).toMatchObject({ enqueue_failures_total: 0, stale_results_total: 0, slots: 7, slots_busy: 0 });
  });

  it('shows the busy slots while a call is under way', async () => {
    const { opened, open } = gate();
    target.on('/held', { after: opened });
    await dueTask({ targetUrl: `${target.url}/held`, timeoutSeconds: 60 });
    await tick();
    await target.waitFor((calls) => calls.some((call) => call.path === '/held'));
    const under = await seriesOf(workerUrl);
    expect(under.slots_busy).toBe(1);
    open();
    const success = 'runs_settled_total{status="SUCCESS"}';
    const after = await settledAt(workerUrl, success, under[success] + 1);
    expect(after.slots_busy).toBe(0);
  });

  it('tells in every process whether the database and the queue answer, and how soon', async () => {
    for (const url of [api.url, workerUrl]) {
      const now = await seriesOf(url);
      expect(now).toMatchObject({ database_up: 1, queue_up: 1 });
      expect(now.database_latency_seconds).toBeGreaterThan(0);
      expect(now.queue_latency_seconds).toBeGreaterThan(0);
    }
  });

  it('tells how much is in the queues, and for how long the oldest has waited', async () => {
    // Where nobody takes from them.
    const idle = await openStack();
    const alone = await startApi(idle);
    try {
      const enqueue = alone.app.get(EnqueueRuns);
      const now = alone.platform.clock.now();
      await enqueue.add([{ id: '1-1', priority: 0, dueAt: now }]);
      await enqueue.add([{ id: '1-2', priority: 9, dueAt: now }]);
      await enqueue.add([{ id: '1-3', priority: 9, dueAt: now + 600_000 }]);
      const { oldestSeconds, ...counts } = (await alone.app.get(QueueDepths).read()).runs;
      expect([counts, oldestSeconds > 0]).toEqual([{ waiting: 2, delayed: 1, active: 0 }, true]);
      const series = await seriesOf(alone.url);
      expect(series['queue_jobs{queue="runs",state="waiting"}']).toBe(2);
      expect(series['queue_oldest_seconds{queue="runs"}']).toBeGreaterThan(0);
      expect(series['queue_oldest_seconds{queue="notices"}']).toBe(0);
    } finally {
      await alone.stop();
      await idle.close();
    }
  });

  it('tells in every process who is there, what waits in the queues and what is to be delivered', async () => {
    for (const url of [api.url, workerUrl]) {
      const now = await eventually(async () => {
        const series = await seriesOf(url);
        return series['nodes{role="WORKER",state="ALIVE"}'] === 1 && series;
      }, 'the worker is listed');
      expect(now).toMatchObject({ 'nodes{role="WORKER",state="DEAD"}': 0, 'queue_oldest_seconds{queue="runs"}': 0 });
      expect(now).toMatchObject({ 'queue_jobs{queue="notices",state="waiting"}': 0, notices_pending: 0 });
      expect(now.notices_oldest_seconds).toBe(0);
    }
  });

  it('is served while the database and the queue are away, without what only they know', async () => {
    const mysql = stack.databaseUrl.startsWith('mysql');
    const databaseUrl = mysql ? 'mysql://nobody@127.0.0.1:9/x' : 'postgresql://nobody@127.0.0.1:9/x';
    const redisUrl = stack.redisUrl && 'redis://127.0.0.1:9';
    const config = configFor({ ...stack, databaseUrl, redisUrl });
    const platform = openPlatform(config, createLogger(config, 'test'));
    try {
      platform.metrics.watchTasks(() => countEnabledTasks(platform.database));
      const text = await platform.metrics.text();
      expect(text).toContain('punctual_database_up 0');
      expect(text).toContain('punctual_queue_up 0');
      expect(text).not.toMatch(/^punctual_(tasks_enabled|database_latency_seconds|queue_latency_seconds) /m);
    } finally {
      await platform.close();
    }
  });

  it('counts the tasks that are enabled in the API only, and not at every look', async () => {
    const other = await startApi(stack);
    try {
      const enabled = { status: 'ENABLED', deleted: false };
      const expected = await other.platform.database.client.task.count({ where: enabled });
      await insertTask(other.platform.database, { status: 'DISABLED' });
      expect((await seriesOf(other.url)).tasks_enabled).toBe(expected);
      await insertTask(other.platform.database);
      expect((await seriesOf(other.url)).tasks_enabled).toBe(expected);
      expect(await seriesOf(workerUrl)).not.toHaveProperty('tasks_enabled');
      expect(await seriesOf(other.url)).toMatchObject({ slots: 0, slots_busy: 0 });
    } finally {
      await other.stop();
    }
  });
});
