import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

const RETRIES = { strategy: 'fixed', max_attempts: 2, interval_seconds: 3 };

describe('a run that waits for its next attempt', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack);
    worker = await startWorker(stack, { WORKER_CONCURRENCY: '1' });
  });

  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  const trigger = async (path: string, fields: object = {}) => {
    const { data } = await api.http.post('/tasks', taskBody({ target_url: `${target.url}${path}`, ...fields }));
    return (await api.http.post(`/tasks/${data.id}/runs`)).data.id as string;
  };
  const becomes = (id: string, status: string) =>
    eventually(async () => (await api.http.get(`/runs/${id}`)).data.status === status, `it is ${status}`);

  it('holds no slot of its worker: one with a single slot calls others meanwhile', async () => {
    target.on('/fails', (_call, nth) => ({ status: nth === 1 ? 503 : 200 }));
    const retried = await trigger('/fails', { retry_policy_json: RETRIES });
    await becomes(retried, 'RETRYING');
    await becomes(await trigger('/other'), 'SUCCESS');
    await becomes(retried, 'SUCCESS');
    expect(target.calls.map(({ path }) => path)).toEqual(['/fails', '/other', '/fails']);
  });
});
