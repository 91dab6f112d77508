import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';
import { type RunningWorker, startWorker } from '../support/product.js';

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

describe('JSON that is nested deeply', () => {
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

  const trigger = async (path: string, payload: unknown) => {
    const task = await api.http.post<{ id: string }>('/tasks', taskBody({ target_url: target.url + path }));
    return api.http.post<{ id: string }>(`/tasks/${task.data.id}/runs`, { payload });
  };
  const closed = (id: string) =>
    eventually(async () => {
      const { data } = await api.http.get<{ finished_at: string | null; status: string; result: unknown }>(
        `/runs/${id}`,
      );
      return data.finished_at === null ? undefined : data;
    }, 'the run is closed');

  it('is stored up to a depth that every database can read, and refused beyond it', async () => {
    target.on('/echo', ({ body }) => ({ body, headers: { 'content-type': 'application/json' } }));
    const deep = nested(26);
    const { status, data } = await trigger('/echo', deep);
    expect(status).toBe(202);
    expect(await closed(data.id)).toMatchObject({ status: 'SUCCESS', result: deep });
    const refused = await trigger('/echo', nested(40));
    expect([refused.status, fieldsOf(refused)[0]]).toEqual([422, expect.stringMatching(/^payload/)]);
  });

  it('of a reply is kept as the text it came in, and holds nothing up', async () => {
    const reply = JSON.stringify(nested(60));
    target.on('/deep', { body: reply, headers: { 'content-type': 'application/json' } });
    const { data } = await trigger('/deep', null);
    expect(await closed(data.id)).toMatchObject({ status: 'SUCCESS', result: reply });
  });
});
