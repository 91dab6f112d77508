import { setTimeout as pause } from 'node:timers/promises';
import { getQueueToken } from '@nestjs/bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkTask, findSuspects } from '#database';
import { PLATFORM, type Platform, Rescue } from '#pipeline';
import { DEADLINES_QUEUE } from '#queue';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import type { Queue } from 'bullmq';
import { type RunningApi, startApi } from '../support/api.js';
import { AsyncRuns } from '../support/async-runs.js';
import { counted, runsTotal } from '../support/counted.js';
import { type RunningWorker, startWorker } from '../support/product.js';
import type { StartedAttempt } from '../support/started-attempt.js';

const RETRY = { strategy: 'fixed', interval_seconds: 1, max_attempts: 2 };

describe('the deadlines of an ASYNC run', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let runs: AsyncRuns;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/async', { status: 202 });
    api = await startApi(stack);
    // Rescue comes round once in ten minutes: what happens sooner is the doing of the queue's delayed jobs.
    worker = await startWorker(stack, { RESCUE_INTERVAL_MS: '600000' });
    runs = new AsyncRuns(api, target);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  const deadlineQueue = () => api.app.get<Queue>(getQueueToken(DEADLINES_QUEUE), { strict: false });
  const client = () => api.platform.database.client;
  const taskOf = (started: StartedAttempt) => BigInt(started.runId.split('-')[1]);
  /** As if that much time had passed since the attempt began. */
  const expire = async (id: string) => {
    const past = new Date(api.platform.clock.now() - 1_000);
    await client().taskRun.update({ where: { id }, data: { deadlineAt: past, wakeAt: past } });
    await client().runAlarm.create({ data: { at: past, runId: id } });
  };

  it('end it as TIMEOUT a moment after callback_timeout_sec, and free its slot', async () => {
    const started = await runs.start({ callback_timeout_sec: 1 });
    const run = await runs.becomes(started.runId, 'TIMEOUT');
    expect(run).toMatchObject({ error_code: 'CALLBACK_TIMEOUT', attempt: 1 });
    expect(run.attempts).toMatchObject([
      { outcome: 'TIMEOUT', error_code: 'CALLBACK_TIMEOUT', response: { status: 202 } },
    ]);
    expect(Date.parse(run.finished_at!)).toBeGreaterThanOrEqual(Date.parse(run.deadline!));
    const state = await client().taskState.findUniqueOrThrow({ where: { taskId: taskOf(started) } });
    expect(state).toMatchObject({ activeRuns: 0, lastEndedRunId: started.runId, failedTickAttempt: 1 });
  });

  it('have it tried again while attempts are left; the old token is late then', async () => {
    const started = await runs.start({ callback_timeout_sec: 1, retry_policy_json: RETRY });
    const again = await runs.called(started.runId, 2);
    expect(await started.say({ status: 'SUCCESS', result: 'old' })).toMatchObject({
      status: 202,
      data: { late: true },
    });
    expect((await again.say({ status: 'SUCCESS', result: 'new' })).status).toBe(200);
    const run = await runs.read(started.runId);
    expect(run).toMatchObject({ status: 'SUCCESS', result: 'new', attempt: 2 });
    expect(run.late_callbacks).toMatchObject([{ attempt: 1, status: 'SUCCESS', result: 'old', effect: 'RECORDED' }]);
    expect(run.attempts).toMatchObject([{ outcome: 'TIMEOUT' }, { outcome: 'SUCCESS' }]);
  });

  it('are moved on by heartbeats, which tell of progress, until those stop', async () => {
    const started = await runs.waiting({ heartbeat_timeout_sec: 2, callback_timeout_sec: 600 });
    const first = (await runs.read(started.runId)).heartbeat_deadline!;
    for (let beat = 1; beat <= 6; beat++) {
      await pause(500);
      const { status, data } = await started.beat({ progress: { beat } });
      expect([status, data.cancel_requested]).toEqual([200, false]);
      expect(Date.parse(data.heartbeat_deadline!)).toBeGreaterThan(Date.parse(first));
    }
    const alive = await runs.read(started.runId);
    expect(alive).toMatchObject({ status: 'WAITING_CALLBACK', progress: { beat: 6 } });
    expect((await started.beat()).status).toBe(200);
    const run = await runs.becomes(started.runId, 'TIMEOUT');
    expect(run).toMatchObject({ error_code: 'HEARTBEAT_TIMEOUT', progress: { beat: 6 } });
    expect(await started.beat()).toMatchObject({ status: 202, data: { late: true, cancel_requested: true } });
  });

  it('are one delayed job a second in the queue, however many runs wait', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => runs.waiting({ callback_timeout_sec: 5_000 })));
    const details = await Promise.all(started.map(({ runId }) => runs.read(runId)));
    const seconds = new Set(details.map(({ deadline }) => `deadline-${Math.ceil(Date.parse(deadline!) / 1000)}`));
    const ids = await eventually(
      async () => {
        const found = (await deadlineQueue().getDelayed()).map((job) => job.id!);
        return [...seconds].every((id) => found.includes(id)) ? found : undefined;
      },
      () => `jobs for ${[...seconds].join(', ')}`,
    );
    expect(ids.filter((id) => seconds.has(id))).toHaveLength(seconds.size);
    for (const one of started) await one.say({ status: 'SUCCESS' });
  });

  it('are kept by another worker when the one that made the call is gone', async () => {
    const started = await runs.waiting({ callback_timeout_sec: 3 });
    const another = await startWorker(stack, { RESCUE_INTERVAL_MS: '600000' });
    const gone = worker;
    worker = another;
    await gone.stop();
    expect(await runs.becomes(started.runId, 'TIMEOUT')).toMatchObject({ error_code: 'CALLBACK_TIMEOUT' });
  });

  it('are found by rescue when nobody else watches', async () => {
    const started = await runs.waiting();
    await expire(started.runId);
    const series = 'rescued_total{kind="callback_expired",reason="deadline"}';
    const before = await counted(worker.app.get<Platform>(PLATFORM), series);
    const report = await worker.app.get(Rescue).runOnce();
    expect(report).toMatchObject({ expired: 1, nodeLost: 0 });
    expect(await counted(worker.app.get<Platform>(PLATFORM), series)).toBe(before + 1);
    expect(await runs.read(started.runId)).toMatchObject({ status: 'TIMEOUT', error_code: 'CALLBACK_TIMEOUT' });
  });

  it('give way to a callback that comes after them, but before anybody has looked', async () => {
    const started = await runs.waiting();
    await expire(started.runId);
    expect((await started.say({ status: 'SUCCESS' })).data.status).toBe('SUCCESS');
    expect(await worker.app.get(Rescue).runOnce()).toMatchObject({ expired: 0 });
  });

  it('are nothing the recount finds fault with', async () => {
    const started = await runs.waiting({ heartbeat_timeout_sec: 600 });
    await started.beat();
    const { database, clock } = api.platform;
    const { suspects } = await findSuspects(database, { after: 0n, most: 1_000 });
    expect(suspects).not.toContain(taskOf(started));
    const { problems } = await checkTask(database, taskOf(started), clock.now(), { repair: false });
    expect(problems).toEqual([]);
    await started.say({ status: 'SUCCESS' });
  });

  describe('and a cancel', () => {
    it('of a run that waits: its slot is free, the heartbeat tells of it, its callback is late', async () => {
      const started = await runs.waiting({ heartbeat_timeout_sec: 60 });
      expect((await api.http.post(`/runs/${started.runId}/cancel`)).status).toBe(200);
      const run = await runs.read(started.runId);
      expect(run).toMatchObject({ status: 'CANCELED' });
      expect(run.attempts).toMatchObject([{ attempt: 1, outcome: 'CANCELED', response: { status: 202 } }]);
      expect(await started.beat()).toMatchObject({ status: 200, data: { cancel_requested: true } });
      expect(await started.say({ status: 'SUCCESS' })).toMatchObject({
        status: 202,
        data: { late: true, status: 'CANCELED' },
      });
      const state = await client().taskState.findUniqueOrThrow({ where: { taskId: taskOf(started) } });
      expect(state).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
    });

    it('of a run whose target has not answered: a 2xx that follows does not revive it', async () => {
      const { opened, open } = gate();
      target.on('/held', { status: 202, after: opened });
      const started = await runs.start({ target_url: `${target.url}/held` });
      await api.http.post(`/runs/${started.runId}/cancel`);
      open();
      expect(await runs.read(started.runId)).toMatchObject({ status: 'CANCELED' });
    });
  });
});

describe('a callback after the end', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let runs: AsyncRuns;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/async', { status: 202 });
    api = await startApi(stack);
    worker = await startWorker(stack);
    runs = new AsyncRuns(api, target);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const timedOut = async (fields: object): Promise<StartedAttempt> => {
    const started = await runs.start({ callback_timeout_sec: 1, ...fields });
    await runs.becomes(started.runId, 'TIMEOUT');
    return started;
  };
  const remembered = async ({ runId }: StartedAttempt) => {
    const where = { taskId: BigInt(runId.split('-')[1]) };
    const { lastEndedRunId, failedTickAttempt } = await api.platform.database.client.taskState.findUniqueOrThrow({
      where,
    });
    return { lastEndedRunId, failedTickAttempt };
  };

  it('is only kept under RECORD, once, however often it comes', async () => {
    const started = await timedOut({});
    for (let time = 1; time <= 3; time++) {
      const answer = await started.say({ status: 'SUCCESS', result: { rows: 1 } });
      expect(answer).toMatchObject({ status: 202, data: { late: true, duplicate: false, status: 'TIMEOUT' } });
    }
    const run = await runs.read(started.runId);
    expect(run).toMatchObject({ status: 'TIMEOUT', result: null });
    expect(run.late_callbacks).toMatchObject([{ status: 'SUCCESS', result: { rows: 1 }, effect: 'RECORDED' }]);
  });

  it('becomes the outcome under ACCEPT, once, and the task forgets the failure', async () => {
    const before = await counted(api.platform, runsTotal('SUCCESS'));
    const started = await timedOut({ late_policy: 'ACCEPT' });
    expect(await remembered(started)).toMatchObject({ failedTickAttempt: 1 });
    const answer = await started.say({ status: 'SUCCESS', result: 42 });
    expect(answer).toMatchObject({ status: 202, data: { late: true, status: 'SUCCESS' } });
    expect((await started.say({ status: 'FAILURE', error_info: 'no' })).status).toBe(202);
    const run = await runs.read(started.runId);
    expect(run).toMatchObject({ status: 'SUCCESS', result: 42, error_code: null, error_info: null });
    expect(run.late_callbacks.map(({ effect }) => effect)).toEqual(['ACCEPTED', 'RECORDED']);
    expect(run.attempts).toMatchObject([{ outcome: 'TIMEOUT' }]);
    expect(await remembered(started)).toEqual({ lastEndedRunId: started.runId, failedTickAttempt: null });
    expect(await counted(api.platform, runsTotal('SUCCESS'))).toBe(before + 1);
  });

  it('tells the team of a success under ACCEPT, and is COMPLETED until it has heard of it', async () => {
    const notify = { success: { url: `${target.url}/told` } };
    const started = await timedOut({ late_policy: 'ACCEPT', notify });
    expect((await started.say({ status: 'SUCCESS', result: 7 })).data.status).toBe('COMPLETED');
    expect(await runs.becomes(started.runId, 'SUCCESS')).toMatchObject({ result: 7, finished_at: expect.any(String) });
    const told = target.calls.filter(({ path, body }) => path === '/told' && body.includes(started.runId));
    expect(told.map(({ body }) => JSON.parse(body).status)).toEqual(['SUCCESS']);
  });

  it('makes a TIMEOUT a FAILED one under ACCEPT, when it says so', async () => {
    const started = await timedOut({ late_policy: 'ACCEPT' });
    expect((await started.say({ status: 'FAILURE', error_info: 'broken' })).data.status).toBe('FAILED');
    const run = await runs.read(started.runId);
    expect(run).toMatchObject({ status: 'FAILED', error_code: 'CALLBACK_FAILURE', error_info: 'broken' });
    expect((await started.say({ status: 'SUCCESS' })).data.status).toBe('FAILED');
  });

  it('spares the run its next attempt under ACCEPT, and frees its slot', async () => {
    const retry_policy_json = { strategy: 'fixed', interval_seconds: 600, max_attempts: 2 };
    const started = await runs.start({ callback_timeout_sec: 1, late_policy: 'ACCEPT', retry_policy_json });
    await runs.becomes(started.runId, 'RETRYING');
    expect((await started.say({ status: 'SUCCESS', result: 'late' })).data.status).toBe('SUCCESS');
    const run = await runs.read(started.runId);
    expect(run).toMatchObject({ status: 'SUCCESS', result: 'late', attempt: 1 });
    expect(run.late_callbacks).toMatchObject([{ effect: 'ACCEPTED' }]);
    const where = { taskId: BigInt(started.runId.split('-')[1]) };
    const state = await api.platform.database.client.taskState.findUniqueOrThrow({ where });
    expect(state.activeRuns).toBe(0);
  });

  it('hands the run to a person under PENDING, who resolves it', async () => {
    const started = await timedOut({ late_policy: 'PENDING' });
    expect(await started.say({ status: 'SUCCESS', result: 1 })).toMatchObject({
      status: 202,
      data: { status: 'PENDING' },
    });
    const run = await runs.read(started.runId);
    expect(run).toMatchObject({ status: 'PENDING', error_code: 'LATE_CALLBACK', finished_at: null });
    expect(run.late_callbacks).toMatchObject([{ effect: 'PENDING', result: 1 }]);
    const resolved = await api.http.post<{ status: string }>(`/runs/${started.runId}/resolve`, { remark: 'seen' });
    expect(resolved.data.status).toBe('MANUALLY_PROCESSED');
  });

  it.each(['ACCEPT', 'PENDING'])('never revives a cancelled run, also under %s', async (late_policy) => {
    const started = await runs.waiting({ late_policy });
    await api.http.post(`/runs/${started.runId}/cancel`);
    expect(await started.say({ status: 'SUCCESS' })).toMatchObject({ status: 202, data: { status: 'CANCELED' } });
  });

  it('is kept in twenty different wordings of a run, and no more', async () => {
    const started = await timedOut({});
    for (let n = 0; n < 25; n++) expect((await started.say({ status: 'SUCCESS', result: n })).status).toBe(202);
    expect((await runs.read(started.runId)).late_callbacks).toHaveLength(20);
  });
});
