import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { RunProcessor } from '../../apps/worker/src/run.processor.js';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { CutLine } from '../support/cut-line.js';
import { type RunningWorker, startWorker } from '../support/product.js';

describe('a worker that cannot reach the database', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let line: CutLine;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    const cuttable = await CutLine.to(stack.databaseUrl);
    line = cuttable.line;
    // Few connections, all of them there before the line is cut: MariaDB's driver leaves a rejection to nobody otherwise, for
    // which a process of its own has `forgiveLostConnections`, and a test has nothing.
    const env = { LEASE_SECONDS: '5', DATABASE_TIMEOUT_MS: '2000', DATABASE_POOL_SIZE: '2', RESCUE_INTERVAL_MS: '500' };
    worker = await startWorker({ ...stack, databaseUrl: cuttable.url }, env);
  });

  afterAll(async () => {
    line?.mend();
    await worker?.stop();
    await api?.stop();
    line?.close();
    await target?.close();
    await stack?.close();
  });

  const stateOf = async () => {
    const { data } = await api.http.get('/cluster/nodes');
    return data.items.find(({ role }: { role: string }) => role === 'WORKER')?.state as string | undefined;
  };
  const trigger = async (fields: object) => {
    const { data } = await api.http.post('/tasks', taskBody({ timeout_seconds: 60, ...fields }));
    return (await api.http.post(`/tasks/${data.id}/runs`)).data.id as string;
  };
  const becomes = (id: string, status: string) =>
    eventually(async () => (await api.http.get(`/runs/${id}`)).data.status === status, `${id} is ${status}`, 60_000);
  const isPaused = () => worker.app.get(RunProcessor).worker.isPaused();

  it('for a whole lease breaks off what it runs, and takes nothing new until it is back', async () => {
    const never = gate();
    target.on('/long', { after: never.opened });
    const id = await trigger({ target_url: `${target.url}/long` });
    const [call] = await target.waitFor(1);
    await eventually(async () => (await stateOf()) === 'ALIVE', 'it is alive');
    line.cut();
    const cutAt = Date.now();
    expect(isPaused()).toBe(false);
    await target.waitFor(() => call.aborted === true, 60_000);
    // Not at the first word that went missing: as long as it has its lease, nobody else has the run.
    expect(call.endedAt! - cutAt).toBeGreaterThan(2_500);
    await eventually(() => Promise.resolve(isPaused()), 'it takes nothing');
    await eventually(async () => (await stateOf()) === 'DEAD', 'the others take it for dead', 30_000);
    const later = await trigger({ target_url: `${target.url}/later` });
    expect(target.callsTo('/later')).toEqual([]);

    line.mend();
    await eventually(() => Promise.resolve(!isPaused()), 'it takes work again', 60_000);
    await eventually(async () => (await stateOf()) === 'ALIVE', 'it is alive again');
    await becomes(later, 'SUCCESS');
    await becomes(id, 'FAILED');
    const { data } = await api.http.get(`/runs/${id}`);
    expect(data).toMatchObject({ error_code: 'NODE_LOST', attempt: 1 });
    expect(target.callsTo('/long')).toHaveLength(1);
  }, 150_000);
});
