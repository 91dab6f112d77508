import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimRuns, inSqlTransaction, keepNode, lockTask } from '#database';
import { Rescue } from '#pipeline';
import { openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';

const TRIES = { strategy: 'fixed', max_attempts: 2, interval_seconds: 1 };

const LOCK_RUN = {
  postgresql: 'SELECT id FROM task_runs WHERE id = $1 FOR UPDATE',
  mysql: 'SELECT id FROM task_runs WHERE id = ? FOR UPDATE',
};

describe('runs whose node is lost', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { DATABASE_TIMEOUT_MS: '5000' });
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const client = () => api.platform.database.client;
  const runOf = async (id: string) => (await api.http.get(`/runs/${id}`)).data;
  const rescue = () => api.app.get(Rescue).runOnce();
  const trigger = async (fields: object) => {
    const { data: task } = await api.http.post('/tasks', taskBody({ retry_policy_json: TRIES, ...fields }));
    return (await api.http.post(`/tasks/${task.id}/runs`)).data.id as string;
  };

  /** Taken by that worker a while ago, which has not been heard of since. */
  const lose = async (id: string, node: string) => {
    const { database, clock } = api.platform;
    const [claimed] = await claimRuns(database, [id], { node, now: clock.now(), leaseMs: -60_000 });
    await alarm(id);
    return claimed.execId;
  };
  const beginOf = (attempt: { started_at: string }) => Date.parse(attempt.started_at);
  const endOf = (attempt: { finished_at: string }) => Date.parse(attempt.finished_at);
  const alarm = (runId: string) => client().runAlarm.create({ data: { runId, at: new Date(Date.now() - 60_000) } });
  const counted = async (kind: string, reason: string) => {
    const series = `punctual_rescued_total{kind="${kind}",reason="${reason}"}`;
    const text = await api.platform.metrics.text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')[1],
    );
  };

  it('get their next attempt, and are FAILED when there is none left', async () => {
    const id = await trigger({});
    await lose(id, 'gone-1');
    await rescue();
    expect(await runOf(id)).toMatchObject({ status: 'RETRYING', attempts: [{ node: 'gone-1', outcome: 'LOST' }] });
    await lose(id, 'gone-2');
    await rescue();
    const run = await runOf(id);
    expect(run).toMatchObject({ status: 'FAILED', error_code: 'NODE_LOST', attempt: 2 });
    expect(beginOf(run.attempts[1])).toBeGreaterThanOrEqual(endOf(run.attempts[0]));
    expect(run.attempts.map(({ error_code }: { error_code: string }) => error_code)).toEqual([
      'NODE_LOST',
      'NODE_LOST',
    ]);
  });

  it('are looked at soon after their next attempt is due: its worker may be lost as well, and leases be short', async () => {
    const id = await trigger({});
    await lose(id, 'gone-1');
    await rescue();
    const { attempts } = await runOf(id);
    const alarms = await client().runAlarm.findMany({ where: { runId: id, at: { gt: new Date(endOf(attempts[0])) } } });
    const last = Math.max(...alarms.map(({ at }) => at.getTime()));
    expect(last - endOf(attempts[0])).toBe(10_000);
  });

  it('tell how long their last attempt took when they are called off, not how long all of them', async () => {
    const id = await trigger({});
    await lose(id, 'gone');
    await rescue();
    const { database, clock } = api.platform;
    await claimRuns(database, [id], { node: 'alive', now: clock.now(), leaseMs: 60_000 });
    await api.http.post(`/runs/${id}/cancel`);
    const { status, attempts } = await runOf(id);
    expect([status, attempts[1].outcome]).toEqual(['CANCELED', 'CANCELED']);
    expect(beginOf(attempts[1])).toBeGreaterThanOrEqual(endOf(attempts[0]));
  });

  it('are FAILED at once if they must not run twice, or wait for a person who decides', async () => {
    const [once, asked] = [
      await trigger({ on_node_lost: 'FAIL' }),
      await trigger({ on_node_lost: 'FAIL', need_manual: true }),
    ];
    for (const id of [once, asked]) await lose(id, 'gone');
    await rescue();
    expect(await runOf(once)).toMatchObject({ status: 'FAILED', error_code: 'NODE_LOST', attempt: 1 });
    expect(await runOf(asked)).toMatchObject({ status: 'PENDING', error_code: 'NODE_LOST', attempt: 1 });
  });

  it('the same holds for agents that fall silent', async () => {
    const ids = [
      await trigger({ executor: 'AGENT', target_url: null }),
      await trigger({ executor: 'AGENT', target_url: null, on_node_lost: 'FAIL' }),
    ];
    await api.http.post('/agents/claim', { agent: 'a', limit: 10 });
    for (const id of ids) {
      await client().taskRun.update({ where: { id }, data: { wakeAt: new Date(Date.now() - 1_000) } });
      await alarm(id);
    }
    await rescue();
    expect(await runOf(ids[0])).toMatchObject({ status: 'RETRYING', attempts: [{ error_code: 'LEASE_EXPIRED' }] });
    expect(await runOf(ids[1])).toMatchObject({ status: 'FAILED', error_code: 'LEASE_EXPIRED', attempt: 1 });
    expect(await counted('agent_lost', 'lease_expired')).toBe(2);
  });

  it('are counted by what became of the node; its lease decides, not its row', async () => {
    const { database, clock } = api.platform;
    const node = { role: 'WORKER', host: 'x', pid: 1, version: '1', leaseSeconds: 60, capacity: 1 } as const;
    for (const id of ['alive', 'dead'])
      await keepNode(database, { ...node, id }, { uptimeMs: 0, load: 1, drained: false });
    await client().node.update({ where: { id: 'dead' }, data: { heartbeatAt: new Date(clock.now() - 70_000) } });
    const before = await Promise.all(REASONS.map((reason) => counted('node_lost', reason)));
    for (const name of ['alive', 'dead', 'never-seen']) await lose(await trigger({}), name);
    // Its node is dead, but its lease is not over: it may be calling still.
    const kept = await trigger({});
    await claimRuns(database, [kept], { node: 'dead', now: clock.now(), leaseMs: 60_000 });
    await alarm(kept);
    await rescue();
    expect(await Promise.all(REASONS.map((reason) => counted('node_lost', reason)))).toEqual(before.map((n) => n + 1));
    expect((await runOf(kept)).status).toBe('RUNNING');
  });

  it.each(['task', 'run'] as const)('wait for nobody whose %s is held by somebody else', async (what) => {
    const [held, free] = [await trigger({}), await trigger({})];
    for (const id of [held, free]) await lose(id, 'gone');
    const { taskId } = await client().taskRun.findUniqueOrThrow({ where: { id: held } });
    await inSqlTransaction(api.platform.database, async (sql) => {
      const lock = () => (what === 'task' ? lockTask(sql, 'default', taskId) : sql.rows(LOCK_RUN, held));
      await lock();
      let isOver = false;
      const pass = rescue().finally(() => (isOver = true));
      // Not idle meanwhile: such a transaction would be ended.
      while (!isOver) await Promise.all([lock(), pause(200)]);
      await pass;
    });
    expect(await runOf(free)).toMatchObject({ status: 'RETRYING' });
    expect(await runOf(held)).toMatchObject({ status: 'RUNNING' });
    // What is left to do is done when it is looked at again.
    await client().taskRun.update({ where: { id: held }, data: { wakeAt: new Date(Date.now() - 1_000) } });
    await alarm(held);
    await rescue();
    expect(await runOf(held)).toMatchObject({ status: 'RETRYING' });
  });

  it('are rescued once, however many processes do so at the same moment', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await trigger({}));
    for (const id of ids) await lose(id, 'gone');
    await Promise.all([rescue(), rescue(), rescue(), rescue()]);
    for (const id of ids) {
      const run = await runOf(id);
      expect(run).toMatchObject({ status: 'RETRYING', attempt: 1 });
      expect(run.attempts).toHaveLength(1);
    }
  });

  it('what a task says about it is kept, shown and checked', async () => {
    const { data: task } = await api.http.post('/tasks', taskBody({ on_node_lost: 'FAIL' }));
    expect(task.on_node_lost).toBe('FAIL');
    const patched = await api.http.patch(`/tasks/${task.id}`, { on_node_lost: null });
    expect(patched.data.on_node_lost).toBe('RETRY');
    const refused = await api.http.post('/tasks', taskBody({ on_node_lost: 'MAYBE' }));
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['on_node_lost']]);
    await expect(client().$executeRawUnsafe("UPDATE tasks SET on_node_lost = 'MAYBE'")).rejects.toThrow();
  });
});

const REASONS = ['node_dead', 'node_gone', 'lease_expired'];
