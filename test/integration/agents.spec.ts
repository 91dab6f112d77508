import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EnqueueRuns, Rescue } from '#pipeline';
import { eventually, insertTask, openStack, secondOf, type Stack } from '#testing';
import { Claims } from '../../apps/api/src/agents/claims.js';
import { AgentWorld, type Claimed } from '../support/agents.js';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { tickOn } from '../support/product.js';

let count = 0;

describe('agents', () => {
  let stack: Stack;
  let api: RunningApi;
  let world: AgentWorld;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
    world = new AgentWorld(api);
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const client = () => api.platform.database.client;
  const rescue = () => api.app.get(Rescue).runOnce();
  /** A category of its own keeps a test's runs from the others' agents. */
  const fresh = () => `category-${++count}`;
  const counters = (taskId: string) => client().taskState.findUniqueOrThrow({ where: { taskId: BigInt(taskId) } });
  const expire = (id: string, fields: object = {}) =>
    client().taskRun.update({ where: { id }, data: { wakeAt: new Date(0), ...fields } });
  const ringNow = (id: string) => client().runAlarm.create({ data: { at: new Date(0), runId: id } });
  const lapse = async (run: Claimed, fields: object = {}) => {
    await expire(run.id, fields);
    await ringNow(run.id);
    await rescue();
  };

  it('take runs with all they need, and close them with a result', async () => {
    const category = fresh();
    const taskId = await world.create({ category, heartbeat_timeout_sec: 60 });
    const id = await world.trigger(taskId, { payload: { n: 1 } });
    const [run] = await world.claim({ agent: 'worker-7', categories: [category] });
    expect(run).toMatchObject({ id, attempt: 1, max_attempts: 1, task_id: taskId, payload: { n: 1 }, category });
    const now = api.platform.clock.now();
    expect(Date.parse(run.deadline) - now).toBeGreaterThan(30_000);
    expect(Date.parse(run.deadline) - now).toBeLessThan(61_000);
    expect(Date.parse(run.timeout_at)).toBeGreaterThan(Date.parse(run.deadline));
    expect(await world.run(id)).toMatchObject({ status: 'RUNNING', node: 'worker-7', attempt: 1 });
    expect((await world.say(run, 'complete', { result: { done: true } })).data).toEqual({ id, duplicate: false });
    const closed = await world.run(id);
    expect(closed).toMatchObject({ status: 'SUCCESS', result: { done: true }, error_code: null });
    expect(closed.attempts).toMatchObject([{ attempt: 1, outcome: 'SUCCESS', node: 'worker-7' }]);
    expect(await counters(taskId)).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
    expect(await client().agentRun.count()).toBe(0);
  });

  it('racing for 200 runs get each of them once', async () => {
    const category = fresh();
    const taskId = await world.create({ category, max_concurrency: 0 });
    const name = (await api.http.get<{ name: string }>(`/tasks/${taskId}`)).data.name;
    const jobs = Array.from({ length: 200 }, (_, n) => ({ type: name, payload: { n } }));
    const { data } = await api.http.post<{ items: { id: string }[] }>('/jobs/batch', { jobs });
    const work = async (agent: string) => {
      const got: Claimed[] = [];
      for (;;) {
        const runs = await world.claim({ agent, categories: [category], limit: 7 });
        if (runs.length === 0) return got;
        got.push(...runs);
        for (const run of runs) expect((await world.say(run, 'complete')).status).toBe(200);
      }
    };
    const got = (await Promise.all(['a', 'b', 'c'].map(work))).flat();
    expect(got.map((run) => run.id).sort()).toEqual(data.items.map((run) => run.id).sort());
    expect(await client().taskRun.count({ where: { taskId: BigInt(taskId), status: 'SUCCESS' } })).toBe(200);
    expect(await counters(taskId)).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
  });

  it('get at most 100 at once, and no more than there are', async () => {
    const category = fresh();
    const taskId = await world.create({ category, max_concurrency: 0 });
    const name = (await api.http.get<{ name: string }>(`/tasks/${taskId}`)).data.name;
    await api.http.post('/jobs/batch', { jobs: Array.from({ length: 130 }, () => ({ type: name })) });
    expect(await world.claim({ categories: [category], limit: 100 })).toHaveLength(100);
    expect(await world.claim({ categories: [category], limit: 100 })).toHaveLength(30);
    for (const bad of [{ limit: 101 }, { limit: 0 }, { wait_seconds: 31 }, { types: [''] }, { agent: '' }]) {
      expect((await api.http.post('/agents/claim', { agent: 'a', ...bad })).status).toBe(422);
    }
  });

  it('get the highest priority first, then the oldest', async () => {
    const category = fresh();
    const taskId = await world.create({ category, max_concurrency: 0 });
    const ids: string[] = [];
    for (const priority of [0, 5, 0, 9]) ids.push(await world.trigger(taskId, { priority }));
    const got = await world.claim({ categories: [category], limit: 10 });
    expect(got.map((run) => run.id)).toEqual([ids[3], ids[1], ids[0], ids[2]]);
  });

  it('may ask by category, by type and by creator, and nothing else is given to them', async () => {
    const [one, two] = [fresh(), fresh()];
    const names = [`type-${one}`, `type-${two}`];
    const first = await world.create({ category: one, name: names[0], max_concurrency: 0 });
    const second = await world.create({ category: two, name: names[1], max_concurrency: 0 });
    const mine = await world.trigger(first, { creator: one });
    const other = await world.trigger(second, { creator: 'bob' });
    expect(await world.claim({ categories: ['elsewhere'], types: [] })).toEqual([]);
    expect(await world.claim({ types: [names[0]], creator: 'bob' })).toEqual([]);
    expect((await world.claim({ categories: [one, two], types: [names[1]] })).map((run) => run.id)).toEqual([other]);
    expect((await world.claim({ categories: [], creator: one, limit: 5 })).map((run) => run.id)).toEqual([mine]);
  });

  it('that wait are woken by a new run', async () => {
    const category = fresh();
    const taskId = await world.create({ category });
    const began = performance.now();
    const claim = world.claim({ categories: [category], wait_seconds: 30 });
    const id = await world.trigger(taskId);
    expect((await claim).map((run) => run.id)).toEqual([id]);
    expect(performance.now() - began).toBeLessThan(25_000);
    expect(await world.claim({ categories: [category], wait_seconds: 1 })).toEqual([]);
  });

  it('that hang up while they wait are given nothing', async () => {
    const category = fresh();
    const taskId = await world.create({ category });
    const away = new AbortController();
    const body = { agent: 'gone', categories: [category], wait_seconds: 30 };
    const claim = api.http.post('/agents/claim', body, { signal: away.signal }).catch(() => 'hung up');
    const waiting = (expected: number) =>
      eventually(() => Promise.resolve(api.app.get(Claims).size === expected), `${expected} agents wait`);
    await waiting(1);
    away.abort();
    expect(await claim).toBe('hung up');
    await waiting(0);
    const id = await world.trigger(taskId);
    const [run] = await world.claim({ agent: 'there', categories: [category], wait_seconds: 30 });
    expect(run.id).toBe(id);
  });

  it('that hang up while they are given a run are given none, and nobody’s attempt is used up', async () => {
    const category = fresh();
    const id = await world.trigger(await world.create({ category }));
    const gone = new AbortController();
    const wish = { tenantId: 'default', agent: 'gone', limit: 5, categories: [category] };
    const claim = api.app.get(Claims).claim(wish, 0, gone.signal);
    gone.abort();
    expect(await claim).toEqual([]);
    expect(await world.run(id)).toMatchObject({ status: 'RETRYING', error_code: 'AGENT_GONE' });
    const [run] = await world.claim({ agent: 'there', categories: [category], wait_seconds: 30 });
    expect(run).toMatchObject({ id, attempt: 2, max_attempts: 2 });
    await world.say(run, 'complete');
    expect(await world.run(id)).toMatchObject({ status: 'SUCCESS', error_code: null });
  });

  it('that die lose their runs to others, and what they say later changes nothing', async () => {
    const category = fresh();
    const retry_policy_json = { strategy: 'fixed', interval_seconds: 600, max_attempts: 3 };
    const taskId = await world.create({ category, retry_policy_json });
    const id = await world.trigger(taskId);
    const [dead] = await world.claim({ agent: 'dead', categories: [category] });
    await lapse(dead);
    expect(await world.run(id)).toMatchObject({ status: 'RETRYING', error_code: 'LEASE_EXPIRED' });
    const [alive] = await world.claim({ agent: 'alive', categories: [category], wait_seconds: 30 });
    expect(alive).toMatchObject({ id, attempt: 2 });
    for (const what of ['heartbeat', 'complete', 'fail'] as const) {
      expect((await world.say(dead, what)).status).toBe(409);
    }
    expect(await world.run(id)).toMatchObject({ status: 'RUNNING', node: 'alive' });
    expect((await world.say(alive, 'complete', { result: 'alive' })).status).toBe(200);
    expect((await world.say(dead, 'complete', { result: 'dead' })).status).toBe(409);
    const run = await world.run(id);
    expect(run).toMatchObject({ status: 'SUCCESS', result: 'alive' });
    expect(run.attempts.map(({ outcome, node }) => [outcome, node])).toEqual([
      ['LOST', 'dead'],
      ['SUCCESS', 'alive'],
    ]);
    expect(await counters(taskId)).toMatchObject({ activeRuns: 0 });
  });

  it.each([
    [false, 'FAILED'],
    [true, 'PENDING'],
  ])('that die with the last attempt (need_manual %s) leave it %s', async (need_manual, status) => {
    const category = fresh();
    const id = await world.trigger(await world.create({ category, need_manual }));
    const [run] = await world.claim({ categories: [category] });
    await lapse(run);
    expect(await world.run(id)).toMatchObject({ status, error_code: 'LEASE_EXPIRED' });
  });

  it('that are not through in time are timed out, however alive', async () => {
    const category = fresh();
    const id = await world.trigger(await world.create({ category }));
    const [run] = await world.claim({ categories: [category] });
    await lapse(run, { deadlineAt: new Date(0) });
    expect(await world.run(id)).toMatchObject({ status: 'TIMEOUT', error_code: 'TIMEOUT' });
    expect((await world.say(run, 'complete')).status).toBe(409);
  });

  it('keep their runs by heartbeats, which tell how far they are', async () => {
    const category = fresh();
    const id = await world.trigger(await world.create({ category, heartbeat_timeout_sec: 300 }));
    const [run] = await world.claim({ categories: [category] });
    await expire(id);
    const { data } = await world.say(run, 'heartbeat', { progress: { percent: 40 } });
    expect(data).toMatchObject({ cancel_requested: false });
    expect(Date.parse(data.deadline as string)).toBeGreaterThan(api.platform.clock.now());
    await ringNow(id);
    await rescue();
    expect(await world.run(id)).toMatchObject({ status: 'RUNNING', progress: { percent: 40 } });
    const tooMuch = await world.say(run, 'heartbeat', { progress: 'x'.repeat(16_384) });
    expect([tooMuch.status, fieldsOf(tooMuch)]).toEqual([422, ['progress']]);
    await client().taskRun.update({ where: { id }, data: { deadlineAt: new Date(run.deadline) } });
    const capped = await world.say(run, 'heartbeat');
    expect(Date.parse(capped.data.deadline as string)).toBeLessThanOrEqual(Date.parse(run.deadline));
  });

  it('are told of a cancel by the next heartbeat, and cannot close the run any more', async () => {
    const category = fresh();
    const id = await world.trigger(await world.create({ category }));
    const [run] = await world.claim({ categories: [category] });
    await api.http.post(`/runs/${id}/cancel`);
    expect((await world.say(run, 'heartbeat')).data).toEqual({ cancel_requested: true, deadline: null });
    const late = await world.say(run, 'complete');
    expect([late.status, late.data.detail]).toEqual([409, expect.stringContaining('CANCELED')]);
    expect((await world.run(id)).status).toBe('CANCELED');
  });

  it('are not given what was cancelled, deleted or is too late before they came', async () => {
    const category = fresh();
    const canceled = await world.trigger(await world.create({ category }));
    await api.http.post(`/runs/${canceled}/cancel`);
    const deleted = await world.create({ category });
    await world.trigger(deleted);
    await api.http.delete(`/tasks/${deleted}`);
    const late = await world.trigger(await world.create({ category, max_lateness_seconds: 5 }));
    await client().taskRun.update({ where: { id: late }, data: { startBefore: new Date(0) } });
    const good = await world.trigger(await world.create({ category }));
    const waiting = await client().agentRun.findMany({ where: { category } });
    expect(waiting.map((row) => row.runId).sort()).toEqual([late, good].sort());
    const got = await world.claim({ categories: [category], limit: 2 });
    expect(got.map((run) => run.id)).toEqual([good]);
    await world.becomes(late, 'SKIPPED');
    expect(await client().agentRun.count({ where: { category } })).toBe(0);
  });

  it('find what waits behind very many that are of no use', async () => {
    const category = fresh();
    const name = `type-${category}`;
    const taskId = await world.create({ category, name, max_concurrency: 0 });
    await api.http.post('/jobs/batch', { jobs: Array.from({ length: 500 }, () => ({ type: name })) });
    const canceled = { status: 'CANCELED', finishedAt: new Date(), wakeAt: null };
    await client().taskRun.updateMany({ where: { taskId: BigInt(taskId) }, data: canceled });
    const good = [await world.trigger(taskId), await world.trigger(taskId)];
    expect((await world.claim({ categories: [category] })).map((run) => run.id)).toEqual([good[0]]);
    expect((await client().agentRun.findMany({ where: { category } })).map((row) => row.runId)).toEqual([good[1]]);
    expect((await world.claim({ types: [name], limit: 9 })).map((run) => run.id)).toEqual([good[1]]);
  });

  it('get the runs of a QUEUE one after the other, in order', async () => {
    const category = fresh();
    const taskId = await world.create({ category, max_concurrency: 1 });
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await world.trigger(taskId));
    const got: string[] = [];
    for (let i = 0; i < 4; i++) {
      const runs = await world.claim({ categories: [category], limit: 10, wait_seconds: 30 });
      expect(runs).toHaveLength(1);
      got.push(runs[0].id);
      await world.say(runs[0], 'complete');
    }
    expect(got).toEqual([...ids].sort());
    expect(await counters(taskId)).toMatchObject({ activeRuns: 0, queuedRuns: 0 });
  });

  it('that fail are followed by another attempt, while the policy has one', async () => {
    const category = fresh();
    const retry_policy_json = { strategy: 'fixed', interval_seconds: 0, max_attempts: 2, retry_on: ['5xx'] };
    const id = await world.trigger(await world.create({ category, retry_policy_json }));
    const [first] = await world.claim({ categories: [category] });
    const failure = { error_code: 'OUT_OF_INK', error_info: 'no ink' };
    expect((await world.say(first, 'fail', failure)).data).toEqual({ id, duplicate: false });
    expect((await world.say(first, 'fail', failure)).data).toEqual({ id, duplicate: true });
    expect(await world.run(id)).toMatchObject({ status: 'RETRYING', error_code: 'OUT_OF_INK', error_info: 'no ink' });
    const [second] = await world.claim({ categories: [category], wait_seconds: 30 });
    expect(second).toMatchObject({ id, attempt: 2 });
    await world.say(second, 'fail');
    expect(await world.run(id)).toMatchObject({ status: 'FAILED', error_code: 'AGENT_FAILED' });
  });

  it('decide whether it is worth another try, and when', async () => {
    const category = fresh();
    const retry_policy_json = { strategy: 'fixed', interval_seconds: 0, max_attempts: 3 };
    const taskId = await world.create({ category, retry_policy_json, max_concurrency: 0 });
    const [hopeless, later] = [await world.trigger(taskId), await world.trigger(taskId)];
    const leftOver = await client().agentRun.findUniqueOrThrow({ where: { runId: later } });
    const runs = await world.claim({ categories: [category], limit: 2 });
    await client().agentRun.create({ data: leftOver });
    for (const run of runs) {
      await world.say(run, 'fail', run.id === hopeless ? { retryable: false } : { retry_after_seconds: 600 });
    }
    expect((await world.run(hopeless)).status).toBe('FAILED');
    expect((await world.run(later)).status).toBe('RETRYING');
    expect(await world.claim({ categories: [category] })).toEqual([]);
  });

  it('complete twice without harm, and another outcome after the first is a conflict', async () => {
    const category = fresh();
    await world.trigger(await world.create({ category }));
    const [run] = await world.claim({ categories: [category] });
    expect((await world.say(run, 'complete')).data).toMatchObject({ duplicate: false });
    expect((await world.say(run, 'complete')).data).toMatchObject({ duplicate: true });
    expect((await world.say(run, 'fail')).status).toBe(409);
    expect((await world.say({ ...run, id: '1767225600-999999' }, 'complete')).status).toBe(404);
    expect(fieldsOf(await world.say(run, 'complete', { exec_id: undefined }))).toEqual(['exec_id']);
  });

  it('get the runs of a schedule, and under CANCEL_PREV the newest alone', async () => {
    const category = fresh();
    const now = secondOf(api.platform.clock.now());
    const due = new Date(now.getTime() - 3_000);
    const task = await insertTask(api.platform.database, {
      ...{ category, executor: 'AGENT', targetUrl: null, catchUpMode: 'FULL', overlapAction: 'CANCEL_PREV' },
      ...{ name: `cron-${category}`, nextFireAt: due, endAt: now },
    });
    await tickOn(api.platform, api.app.get(EnqueueRuns)).runOnce();
    const got = await world.claim({ categories: [category], limit: 10 });
    const newest = await client().taskRun.findFirstOrThrow({ where: { taskId: task.id }, orderBy: { id: 'desc' } });
    expect(got.map((run) => run.id)).toEqual([newest.id]);
  });

  it('are given what got lost on its way to them', async () => {
    const category = fresh();
    const id = await world.trigger(await world.create({ category }));
    await client().agentRun.delete({ where: { runId: id } });
    expect(await world.claim({ categories: [category] })).toEqual([]);
    await expire(id);
    await ringNow(id);
    await rescue();
    expect((await world.claim({ categories: [category] })).map((run) => run.id)).toEqual([id]);
  });

  it('cannot close what a worker executes', async () => {
    const { data } = await api.http.post<{ id: string }>('/tasks', taskBody());
    const id = await world.trigger(data.id);
    const running = { status: 'RUNNING', execId: 'theirs', startedAt: new Date(), node: 'worker' };
    await client().taskRun.update({ where: { id }, data: running });
    expect((await world.say({ id, exec_id: 'theirs' }, 'complete')).status).toBe(409);
    expect((await world.run(id)).status).toBe('RUNNING');
  });

  it('count what they do', async () => {
    const metrics = await api.platform.metrics.text();
    expect(metrics).toMatch(/punctual_agent_claims_total [1-9]/);
    expect(metrics).toMatch(/punctual_agent_leases_expired_total [1-9]/);
  });
});
