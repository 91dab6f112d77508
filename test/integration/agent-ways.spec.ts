import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Backfill, EnqueueRuns, Recount, Rescue, WarmRuns } from '#pipeline';
import { openStack, type Stack, TargetStub } from '#testing';
import { AgentWorld } from '../support/agents.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

let count = 0;

describe('the ways to an agent', () => {
  let stack: Stack;
  let api: RunningApi;
  let world: AgentWorld;
  let worker: RunningWorker | undefined;
  let target: TargetStub;
  let category: string;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    world = new AgentWorld(api);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => {
    category = `category-${++count}`;
  });

  const client = () => api.platform.database.client;
  const ids = async (more: object = {}) =>
    (await world.claim({ categories: [category], limit: 100, ...more })).map((run) => run.id);
  const lookAt = async (id: string) => {
    await client().taskRun.update({ where: { id }, data: { wakeAt: new Date(0) } });
    await client().runAlarm.create({ data: { at: new Date(0), runId: id } });
    await api.app.get(Rescue).runOnce();
  };

  it('a run that starts later is theirs when its time has come', async () => {
    const taskId = await world.create({ category });
    const start_time = new Date(api.platform.clock.now() + 3_600_000);
    const id = await world.trigger(taskId, { start_time });
    expect(await ids()).toEqual([]);
    const past = new Date(api.platform.clock.now() - 1_000);
    await client().coldRun.updateMany({ where: { runId: id }, data: { startAt: past } });
    await client().taskRun.update({ where: { id }, data: { scheduledTime: past } });
    await new WarmRuns(api.platform.database, api.platform.clock, api.app.get(EnqueueRuns)).runOnce();
    expect(await ids({ wait_seconds: 30 })).toEqual([id]);
  });

  it('a run in a moment is not theirs before', async () => {
    const taskId = await world.create({ category, max_concurrency: 0 });
    const at = api.platform.clock.now() + 1_500;
    const id = await world.trigger(taskId, { start_time: new Date(at) });
    expect(await ids({ wait_seconds: 30 })).toEqual([id]);
    expect(api.platform.clock.now()).toBeGreaterThanOrEqual(Math.floor(at));
  });

  it('a backfill’s runs are theirs', async () => {
    const taskId = await world.create({ category, cron_expr: '0 0 * * *', status: 'DISABLED', max_concurrency: 0 });
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-03T12:00:00Z' };
    expect((await api.http.post(`/tasks/${taskId}/backfill`, range)).status).toBe(202);
    const { database, clock, log } = api.platform;
    await new Backfill(database, clock, api.app.get(EnqueueRuns), log).runOnce();
    expect((await ids()).length).toBeGreaterThan(0);
  });

  it('those who wait in line become theirs when the limit is raised', async () => {
    const taskId = await world.create({ category, max_concurrency: 1 });
    for (let i = 0; i < 3; i++) await world.trigger(taskId);
    expect(await ids()).toHaveLength(1);
    await api.http.patch(`/tasks/${taskId}`, { max_concurrency: 3 });
    expect(await ids({ wait_seconds: 30 })).toHaveLength(2);
  });

  it('a slot that a cancelled run leaves goes to the next of theirs', async () => {
    const taskId = await world.create({ category, max_concurrency: 1 });
    const [first, second] = [await world.trigger(taskId), await world.trigger(taskId)];
    await api.http.post(`/runs/${first}/cancel`);
    expect(await ids({ wait_seconds: 30 })).toEqual([second]);
  });

  it('a recount finds nothing wrong with what they wait for, have, and will get', async () => {
    const taskId = await world.create({ category, max_concurrency: 2 });
    for (let i = 0; i < 4; i++) await world.trigger(taskId);
    await ids({ limit: 1 });
    const { repaired } = await api.app.get(Recount).runOnce();
    expect(repaired.filter((one) => String(one.taskId) === taskId)).toEqual([]);
    expect(await ids()).toHaveLength(1);
  });

  describe('when the executor is changed', () => {
    beforeAll(async () => {
      worker = await startWorker(stack);
    });

    it('what waited for an agent goes to a worker', async () => {
      const taskId = await world.create({ category });
      const id = await world.trigger(taskId);
      await api.http.patch(`/tasks/${taskId}`, { executor: 'HTTP', target_url: `${target.url}/ok` });
      expect(await ids()).toEqual([]);
      await world.becomes(id, 'SUCCESS');
    });

    it('what had waited for an agent for long goes to a worker at once, and what is to wait on waits on', async () => {
      const taskId = await world.create({ category, max_concurrency: 0 });
      const [id, later] = [await world.trigger(taskId), await world.trigger(taskId)];
      await lookAt(id);
      const inAnHour = new Date(api.platform.clock.now() + 3_600_000);
      await client().agentRun.update({ where: { runId: later }, data: { availableAt: inAnHour } });
      await api.http.patch(`/tasks/${taskId}`, { executor: 'HTTP', target_url: `${target.url}/ok` });
      expect(await client().agentRun.count({ where: { category } })).toBe(0);
      await world.becomes(id, 'SUCCESS');
      const { status, wakeAt } = await client().taskRun.findUniqueOrThrow({ where: { id: later } });
      expect(status).toBe('SCHEDULED');
      expect(wakeAt?.getTime()).toBeGreaterThan(inAnHour.getTime());
    });

    it('what waited for a worker goes to an agent', async () => {
      const hook = taskBody({ target_url: `${target.url}/away`, category, timeout_seconds: 600 });
      target.on('/away', { status: 503 });
      const retry_policy_json = { strategy: 'fixed', interval_seconds: 5, max_attempts: 3 };
      const { data } = await api.http.post<{ id: string }>('/tasks', { ...hook, retry_policy_json });
      const id = await world.trigger(data.id);
      await world.becomes(id, 'RETRYING');
      await api.http.patch(`/tasks/${data.id}`, { executor: 'AGENT', target_url: null });
      expect(await client().agentRun.count({ where: { runId: id } })).toBe(1);
      expect(await ids({ wait_seconds: 30 })).toEqual([id]);
    });
  });
});
