import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '#database';
import { AdmitRuns, type EnqueueRuns } from '#pipeline';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

describe('a run on demand', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    worker = await startWorker(stack);
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => target.clear());

  const task = async (fields: object = {}) =>
    (await api.http.post('/tasks', taskBody({ target_url: target.url, ...fields }))).data as { id: string };
  const trigger = async (taskId: string, body: object) =>
    (await api.http.post(`/tasks/${taskId}/runs`, body)).data as { id: string; status: string };
  const closed = (id: string) =>
    eventually(async () => {
      const { data } = await api.http.get(`/runs/${id}`);
      return data.finished_at !== null && data;
    }, `run ${id} is closed`);

  it.each([['hello'], ['42'], ['{"a":1}'], [42], [true], [['x', null]], [{ deep: { text: 'ü🙂"' } }]])(
    'carries the payload %j to the target as it was given',
    async (payload) => {
      const run = await trigger((await task()).id, { payload });
      expect(await closed(run.id)).toMatchObject({ status: 'SUCCESS', payload });
      expect(target.calls.map((call) => JSON.parse(call.body))).toEqual([payload]);
    },
  );

  it('waits in the order it was asked for, also within one second', async () => {
    const taskId = BigInt((await task({ max_concurrency: 1 })).id);
    const { database } = api.platform;
    let now = Date.parse('2026-01-05T10:00:00Z');
    const deaf = { add: () => Promise.resolve() } as unknown as EnqueueRuns;
    const demands = new AdmitRuns(database, { now: () => now }, deaf);
    const order = { taskId, trigger: 'API' as const, traceId: 'x' };
    const asked: string[] = [];
    for (const ms of [0, 1, 7, 20, 99, 100, 365, 999, 1_000]) {
      now = Date.parse('2026-01-05T10:00:00Z') + ms;
      const [run] = await inTransaction(database, (session) => demands.admit(session, 'default', [order]));
      asked.push(run!.id);
    }
    const line = await database.client.taskRun.findMany({ where: { taskId }, orderBy: { id: 'asc' } });
    expect(line.map(({ id }) => id)).toEqual(asked);
    await api.http.delete(`/tasks/${taskId}`);
  });
});
