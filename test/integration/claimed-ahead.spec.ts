import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, gate, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

const SLOTS = 5;
/** Of a host that answers at once, four of five. */
const SHARE = 4;

describe('runs of a swift host, claimed before there is a slot for them', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let task: string;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    worker = await startWorker(stack, { WORKER_CONCURRENCY: String(SLOTS) });
    const body = taskBody({ target_url: `${target.url}/swift`, max_concurrency: 0, timeout_seconds: 600 });
    task = (await api.http.post('/tasks', body)).data.id;
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const trigger = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push((await api.http.post(`/tasks/${task}/runs`)).data.id as string);
    return ids;
  };
  const runsOf = (ids: string[]) => api.platform.database.client.taskRun.findMany({ where: { id: { in: ids } } });
  const withStatus = async (ids: string[], status: string) =>
    (await runsOf(ids)).filter((run) => run.status === status).map(({ id }) => id);
  const allSucceed = (ids: string[]) =>
    eventually(async () => (await withStatus(ids, 'SUCCESS')).length === ids.length, 'all have succeeded', 60_000);
  const callsOf = (ids: string[]) => target.calls.filter(({ runId }) => ids.includes(runId!));
  const takeAll = (ids: string[]) =>
    eventually(() => Promise.resolve(callsOf(ids).length >= SHARE), 'its slots are taken', 5_000);

  /** Runs that have all the slots a swift host may have, until it is opened. On a busy machine it takes more calls until the host is known for swift. */
  async function takeSlots(count: number, tries = 6): Promise<{ ids: string[]; open: () => void }> {
    target.on('/swift', { status: 200 });
    await allSucceed(await trigger(2 * SLOTS));
    const { open, opened } = gate();
    target.on('/swift', { after: opened });
    const ids = await trigger(count);
    try {
      await takeAll(ids);
      return { ids, open };
    } catch (error) {
      open();
      await allSucceed(ids);
      if (tries === 1) throw error;
      return takeSlots(count, tries - 1);
    }
  }

  it('are given back untouched when the host hangs, without a call more than there are slots', async () => {
    const { ids, open } = await takeSlots(SHARE);
    // Nothing of it looks slow for a moment.
    ids.push(...(await trigger(8)));
    await eventually(
      async () => {
        const runs = await runsOf(ids);
        const untouched = runs.filter(({ status, attempt }) => attempt === 0 && status !== 'RUNNING');
        return untouched.length === ids.length - SHARE;
      },
      'what had no slot is anybody’s again',
      30_000,
    );
    expect(callsOf(ids)).toHaveLength(SHARE);
    open();
    await allSucceed(ids);
    for (const { attempt } of await runsOf(ids)) expect(attempt).toBe(1);
    expect(new Set(callsOf(ids).map(({ runId }) => runId)).size).toBe(ids.length);
    expect(callsOf(ids)).toHaveLength(ids.length);
  }, 120_000);

  it('are another worker’s when theirs stops', async () => {
    const { ids, open } = await takeSlots(3 * SLOTS);
    const stopped = worker.stop();
    worker = await startWorker(stack, { WORKER_CONCURRENCY: String(SLOTS) });
    open();
    await stopped;
    await allSucceed(ids);
    for (const { attempt } of await runsOf(ids)) expect(attempt).toBe(1);
    expect(callsOf(ids)).toHaveLength(ids.length);
  }, 120_000);
});
