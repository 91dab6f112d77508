import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { forgetNodes, keepNode, removeNode } from '#database';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { RunProcessor } from '../../apps/worker/src/run.processor.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

interface Node {
  id: string;
  role: string;
  state: string;
  heartbeat_at: string;
  started_at: string;
  load: number;
  capacity: number | null;
  drained: boolean;
  draining_since: string | null;
}

/** Ten heartbeats in the shortest lease there is. */
const QUICK = { LEASE_SECONDS: '5', RESCUE_INTERVAL_MS: '500', WORKER_CONCURRENCY: '7' };
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

describe('the nodes of a deployment', () => {
  let stack: Stack;
  let api: RunningApi;
  let target: TargetStub;
  let worker: RunningWorker | undefined;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack, { ...QUICK, SCHEDULER: 'enabled' });
  });

  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });

  afterAll(async () => {
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const nodes = async () => (await api.http.get<{ items: Node[] }>('/cluster/nodes')).data.items;
  const nodeOf = (role: string, isAsked: (node: Node) => boolean = () => true) =>
    eventually(async () => (await nodes()).find((node) => node.role === role && isAsked(node)), `such a ${role}`);
  const tell = (id: string, what: 'drain' | 'undrain') => api.http.post<Node>(`/cluster/nodes/${id}/${what}`);
  const createTask = async (fields: object) => (await api.http.post('/tasks', taskBody(fields))).data.id as string;
  const trigger = async (id: string) => (await api.http.post(`/tasks/${id}/runs`)).data.id as string;
  const runIn = (id: string, status: string) =>
    eventually(async () => {
      const { data } = await api.http.get(`/runs/${id}`);
      return data.status === status && data;
    }, `${id} is ${status}`);

  it('are listed with what they do, where, since when and how much, as long as they run', async () => {
    worker = await startWorker(stack, QUICK);
    const listed = await nodeOf('WORKER');
    expect(listed).toMatchObject({ pid: process.pid, version, state: 'ALIVE', capacity: 7, load: 0, drained: false });
    expect(await nodeOf('SCHEDULER')).toMatchObject({ pid: process.pid, version, state: 'ALIVE', capacity: null });
    const again = await nodeOf('WORKER', (node) => node.heartbeat_at > listed.heartbeat_at);
    expect(again).toMatchObject({ id: listed.id, started_at: listed.started_at });
    await worker.stop();
    worker = undefined;
    expect((await nodes()).map((node) => node.role)).toEqual(['SCHEDULER']);
  });

  it('name the runs they execute, and say how many those are', async () => {
    worker = await startWorker(stack, QUICK);
    const open = gate();
    target.on('/counted', { after: open.opened });
    const id = await trigger(await createTask({ target_url: `${target.url}/counted` }));
    const busy = await nodeOf('WORKER', (node) => node.load === 1);
    expect((await api.http.get(`/runs/${id}`)).data.node).toBe(busy.id);
    open.open();
    await nodeOf('WORKER', (node) => node.load === 0);
  });

  it('a drained worker finishes what it runs and takes nothing new, neither runs nor notices, until it may again', async () => {
    worker = await startWorker(stack, QUICK);
    const { id } = await nodeOf('WORKER');
    const open = gate();
    target.on('/slow', { after: open.opened });
    const notify = { success: { url: `${target.url}/told` } };
    const task = await createTask({ target_url: `${target.url}/slow`, max_concurrency: 0, notify });
    const running = await trigger(task);
    await target.waitFor((calls) => calls.some((call) => call.runId === running));

    const { status, data } = await tell(id, 'drain');
    expect([status, data.state, data.drained]).toEqual([200, 'DRAINING', false]);
    const { worker: jobs } = worker.app.get(RunProcessor);
    await eventually(() => Promise.resolve(jobs.isPaused()), 'it has heard so');
    const late = await trigger(task);
    expect(await nodeOf('WORKER', (node) => node.state === 'DRAINING')).toMatchObject({ drained: false, load: 1 });

    open.open();
    await runIn(running, 'COMPLETED');
    await nodeOf('WORKER', (node) => node.drained && node.load === 0);
    await tell(id, 'drain');
    expect(await nodeOf('WORKER', (node) => node.drained)).toMatchObject({ draining_since: data.draining_since });
    expect((await api.http.get(`/runs/${late}`)).data.status).toBe('SCHEDULED');
    expect((await api.http.get('/deliveries?status=PENDING')).data.items).toMatchObject([{ attempts: 0 }]);

    expect((await tell(id, 'undrain')).data).toMatchObject({ state: 'ALIVE', drained: false, draining_since: null });
    await Promise.all([runIn(running, 'SUCCESS'), runIn(late, 'SUCCESS')]);
    expect(target.callsTo('/slow').map((call) => call.runId)).toEqual([running, late]);
  }, 60_000);

  it('a drained scheduler answers, but turns no second into a run until it may again', async () => {
    const { id } = await nodeOf('SCHEDULER');
    const task = await createTask({ cron_expr: '* * * * * *', catch_up_mode: 'FULL', max_concurrency: 0 });
    const lastRun = async () => (await api.http.get(`/tasks/${task}`)).data.last_run?.id as string | undefined;
    await eventually(lastRun, 'it fires');
    await tell(id, 'drain');
    const { clock, database } = api.platform;
    await eventually(async () => {
      const state = await database.client.taskState.findUniqueOrThrow({ where: { taskId: BigInt(task) } });
      return state.nextFireAt!.getTime() < clock.now() - 2_500;
    }, 'its due seconds wait');
    const before = await lastRun();
    await tell(id, 'undrain');
    await eventually(async () => (await lastRun()) !== before, 'it fires again');
    await api.http.delete(`/tasks/${task}`);
  }, 60_000);

  it('that fall silent are suspect, then dead, and alive again with their next heartbeat', async () => {
    const { database } = api.platform;
    const node = { id: 'elsewhere-1-abc', role: 'WORKER', host: 'elsewhere', pid: 1, version: '9.9.9' } as const;
    const identity = { ...node, leaseSeconds: 60, capacity: 3 };
    const beat = () => keepNode(database, identity, { uptimeMs: 5_000, load: 2, drained: true });
    const silentFor = async (seconds: number) => {
      const { heartbeatAt } = await database.client.node.findUniqueOrThrow({ where: { id: node.id } });
      const data = { heartbeatAt: new Date(heartbeatAt.getTime() - seconds * 1000) };
      await database.client.node.update({ where: { id: node.id }, data });
      return (await nodeOf('WORKER')).state;
    };
    expect(await beat()).toBe(false);
    const listed = await nodeOf('WORKER');
    expect(listed).toMatchObject({ ...node, state: 'ALIVE', load: 2, drained: false });
    expect(Date.parse(listed.heartbeat_at) - Date.parse(listed.started_at)).toBe(5_000);
    expect(await silentFor(35)).toBe('SUSPECT');
    expect(await silentFor(35)).toBe('DEAD');
    await tell(node.id, 'drain');
    expect((await nodeOf('WORKER')).state).toBe('DEAD');
    expect(await beat()).toBe(true);
    expect(await nodeOf('WORKER')).toMatchObject({ state: 'DRAINING', drained: true });
    await tell(node.id, 'undrain');
    await silentFor(23 * 3_600);
    await forgetNodes(database);
    expect(await silentFor(3_600)).toBe('DEAD');
    await forgetNodes(database);
    expect((await nodes()).map(({ role }) => role)).toEqual(['SCHEDULER']);
    expect(await beat()).toBe(false);
    expect(await nodeOf('WORKER')).toMatchObject({ state: 'ALIVE' });
    await removeNode(database, node.id);
  });

  it('that are nobody cannot be drained', async () => {
    for (const id of ['nobody', 'x'.repeat(80), '%00']) {
      for (const what of ['drain', 'undrain'] as const) expect((await tell(id, what)).status).toBe(404);
    }
  });

  it('are counted by role and state in the metrics', async () => {
    const { data } = await api.http.get<string>(`${api.url}/metrics`);
    expect(data).toContain('punctual_nodes{role="SCHEDULER",state="ALIVE"} 1');
    expect(data).toContain('punctual_nodes{role="WORKER",state="DEAD"} 0');
  });
});
