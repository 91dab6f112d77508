import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { NOTICES_QUEUE, RUNS_QUEUE } from '#queue';
import { PLATFORM, type Platform, Rescue, RescueNotices, RestoreQueue } from '#pipeline';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import type { Queue } from 'bullmq';
import { RunProcessor } from '../../apps/worker/src/run.processor.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { loseQueue } from '../support/lose-queue.js';
import { type RunningWorker, startWorker } from '../support/product.js';

/** No pass but those the test makes. */
const ALONE = { LEASE_SECONDS: '60', RESCUE_INTERVAL_MS: '600000' };
const WAITING = ['prioritized', 'delayed', 'waiting'] as const;
/** How long ago the runs of the backlog were due, in the order they are made, each with its priority. */
const BACKLOG = [
  ...[30, 90, 60].map((secondsAgo) => ({ secondsAgo, priority: 0 })),
  ...[20, 80, 50].map((secondsAgo) => ({ secondsAgo, priority: 7 })),
];

describe('a queue that has lost everything', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack, ALONE);
    worker = await startWorker(stack, { ...ALONE, NOTIFY_RETRY_SECONDS: '0' });
    await pass();
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  /** What every process does every few seconds. */
  const pass = async () => {
    const report = await api.app.get(RestoreQueue).runOnce();
    await api.app.get(Rescue).runOnce();
    await api.app.get(RescueNotices).runOnce();
    return report;
  };
  const create = async (fields: object) =>
    (await api.http.post('/tasks', taskBody({ target_url: `${target.url}/work`, max_concurrency: 0, ...fields }))).data
      .id as string;
  const trigger = async (id: string, body: object = {}) =>
    (await api.http.post(`/tasks/${id}/runs`, body)).data.id as string;
  const statusOf = async (id: string) => (await api.http.get(`/runs/${id}`)).data.status as string;
  const becomes = (id: string, status: string) =>
    eventually(async () => (await statusOf(id)) === status, `${id} is ${status}`, 60_000);
  const drain = async (what: 'drain' | 'undrain') => {
    const { data } = await api.http.get('/cluster/nodes');
    const { id } = data.items.find(({ role }: { role: string }) => role === 'WORKER');
    await api.http.post(`/cluster/nodes/${id}/${what}`);
    return id as string;
  };
  const drained = (id: string, load: number) =>
    eventually(
      async () => {
        const { client } = api.platform.database;
        const row = await client.node.findUniqueOrThrow({ where: { id } });
        return row.load === load && worker.app.get(RunProcessor).worker.isPaused();
      },
      'it takes nothing more',
      30_000,
    );
  const queueOf = (name: string) => api.app.get<Queue>(getQueueToken(name));
  const jobsIn = async (name: string, states: readonly (typeof WAITING)[number][] = WAITING) =>
    (await queueOf(name).getJobs([...states], 0, 100, true)).map((job) => job.data as { runs: string[]; id: string });
  const toldBy = async (app: INestApplicationContext) => {
    const lines = (await app.get<Platform>(PLATFORM).metrics.text()).split('\n');
    const series = 'punctual_rescued_total{kind="enqueued",reason="queue_lost"}';
    return Number(lines.find((line) => line.startsWith(series))?.split(' ')[1]);
  };
  const toldByAll = async () => (await toldBy(api.app)) + (await toldBy(worker.app));
  const toldRuns = async () => (await jobsIn(RUNS_QUEUE)).flatMap(({ runs }) => runs);

  it('is told anew in one pass: what is due in order, what is due later for its time, and notices; what runs is left alone', async () => {
    const open = gate();
    target.on('/running', { after: open.opened }).on('/flaky', { status: 503 });
    const running = await trigger(await create({ target_url: `${target.url}/running`, timeout_seconds: 600 }));
    const fixed = { strategy: 'fixed', max_attempts: 2, interval_seconds: 3_600 };
    const retrying = await trigger(await create({ target_url: `${target.url}/flaky`, retry_policy_json: fixed }));
    await becomes(retrying, 'RETRYING');
    await becomes(running, 'RUNNING');
    const { wakeAt } = await api.platform.database.client.taskRun.findUniqueOrThrow({ where: { id: retrying } });
    const dueAgainAt = wakeAt!.getTime() - 30_000;
    await drained(await drain('drain'), 1);

    const backlog = await makeBacklog();
    const notice = await makeNotice();
    expect(new Set(await toldRuns())).toEqual(new Set([retrying, ...backlog.map(({ id }) => id)]));
    // A process that has just started may have told of some already.
    const toldBefore = await toldByAll();
    await loseQueue(stack);
    expect(await toldRuns()).toEqual([]);

    // As if every process had its pass in this moment: one of them tells, whoever it is.
    const reports = await Promise.all([pass(), pass(), worker.app.get(RestoreQueue).runOnce()]);
    expect(reports.map(({ runs }) => runs).sort()).toEqual([0, 0, backlog.length + 1]);
    const ordered = [...backlog].sort((a, b) => b.priority - a.priority || b.secondsAgo - a.secondsAgo);
    expect((await jobsIn(RUNS_QUEUE, ['prioritized'])).flatMap(({ runs }) => runs)).toEqual(
      ordered.map(({ id }) => id),
    );
    const [delayed] = await queueOf(RUNS_QUEUE).getJobs(['delayed']);
    expect(delayed.data).toEqual({ runs: [retrying] });
    // Its distance from now, as the queue counts it, and as the database does.
    const { clock } = api.platform;
    expect(delayed.timestamp + delayed.delay - Date.now()).toBeCloseTo(dueAgainAt - clock.now(), -3);
    // The worker was waiting for a notice when it was told to take none: it may get this one, and hands it on.
    const toldNotices = async () => (await jobsIn(NOTICES_QUEUE)).map(({ id }) => id);
    await eventually(async () => (await toldNotices()).join() === notice, 'the notice waits in the queue');
    expect(await pass()).toEqual({ runs: 0, notices: 0 });

    await drain('undrain');
    for (const { id } of backlog) await becomes(id, 'SUCCESS');
    expect(await statusOf(running)).toBe('RUNNING');
    open.open();
    await becomes(running, 'SUCCESS');
    await eventually(
      async () => (await api.http.get(`/deliveries/${notice}`)).data.status === 'DELIVERED',
      'it is told',
    );
    await api.http.post(`/runs/${retrying}/cancel`);
    const calls = target.calls.filter(({ path }) => path !== '/told');
    expect(calls).toHaveLength(backlog.length + 2);
    expect((await toldByAll()) - toldBefore).toBe(backlog.length + 1);
  }, 120_000);

  it('is told again when it forgets while it is being told', async () => {
    await drained(await drain('drain'), 0);
    const id = await trigger(await create({}));
    await loseQueue(stack);
    const { memory } = api.platform.queue;
    const telling = await memory.lost();
    expect(telling).not.toBeNull();
    expect(await memory.lost()).toBeNull();
    await loseQueue(stack);
    expect(await memory.restored(telling!)).toBe(false);
    expect(await pass()).toMatchObject({ runs: 1 });
    expect(await toldRuns()).toEqual([id]);
    await drain('undrain');
    await becomes(id, 'SUCCESS');
  }, 60_000);

  it('at the start of a process is filled with all that is unfinished, at once', async () => {
    await worker.stop();
    const ids: string[] = [];
    const task = await create({});
    for (let i = 0; i < 20; i++) ids.push(await trigger(task));
    // In PostgreSQL a prefix is no other place: there the old one has to be emptied.
    await loseQueue(stack);
    worker = await startWorker(
      { ...stack, queuePrefix: `${stack.queuePrefix}new` },
      { LEASE_SECONDS: '60', RESCUE_INTERVAL_MS: '300' },
    );
    for (const id of ids) await becomes(id, 'SUCCESS');
    // Each of them alone would have been looked for thirty seconds after it was due.
    expect(await toldBy(worker.app)).toBeGreaterThanOrEqual(ids.length);
    expect(target.calls.filter(({ runId }) => ids.includes(runId!))).toHaveLength(ids.length);
  }, 60_000);

  async function makeBacklog() {
    const runs = [];
    for (const { secondsAgo, priority } of BACKLOG) {
      const id = await trigger(await create({ priority }));
      const scheduledTime = new Date(Date.now() - secondsAgo * 1000);
      await api.platform.database.client.taskRun.update({ where: { id }, data: { scheduledTime } });
      runs.push({ id, secondsAgo, priority });
    }
    return runs;
  }

  async function makeNotice(): Promise<string> {
    const { database, clock } = api.platform;
    const task = await create({ notify: { error: { url: `${target.url}/told` } } });
    const runId = await trigger(task, { start_time: new Date(Date.now() + 3_600_000) });
    const now = new Date(clock.now());
    const id = `msg_${now.getTime().toString(16)}beef`;
    const about = { runId, taskId: BigInt(task), url: `${target.url}/told`, runStatus: 'FAILED', runAttempt: 1 };
    await database.client.outbox.create({
      data: { id, kind: 'error', ...about, endedAt: now, createdAt: now, nextAttemptAt: now },
    });
    return id;
  }
});
