import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi } from '../support/api.js';
import { AsyncRuns } from '../support/async-runs.js';
import { type RunningWorker, startWorker } from '../support/product.js';

describe('where an ASYNC target is told to call back', () => {
  let stack: Stack;
  let target: TargetStub;
  let apis: RunningApi[];
  let worker: RunningWorker | undefined;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    target.on('/async', { status: 202 });
  });

  afterAll(async () => {
    await target?.close();
    await stack?.close();
  });

  beforeEach(() => void (apis = []));

  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    for (const api of apis) await api.stop();
    target.clear();
  });

  const api = async (env: Record<string, string> = {}) => {
    apis.push(await startApi(stack, env));
    return apis.at(-1)!;
  };
  const told = async (by: RunningApi) => {
    const { url, runId } = await new AsyncRuns(by, target).waiting();
    return url.replace(`/api/v1/callbacks/${runId}`, '');
  };

  it('is where the API is, for a worker that has only database and queue', async () => {
    const only = await api();
    worker = await startWorker(stack);
    expect(await told(only)).toBe(only.url);
  });

  it('stays the PUBLIC_URL that was given when an API without one starts', async () => {
    await api({ PUBLIC_URL: 'https://jobs.example.com' });
    const other = await api();
    worker = await startWorker(stack);
    expect(await told(other)).toBe('https://jobs.example.com');
  });

  it('is the PUBLIC_URL of the API, and the next one when an API comes back with another', async () => {
    const first = await api({ PUBLIC_URL: 'https://jobs.example.com/punctual/' });
    worker = await startWorker(stack);
    expect(await told(first)).toBe('https://jobs.example.com/punctual');
    const next = await api({ PUBLIC_URL: 'https://new.example.com' });
    await eventually(async () => (await told(next)) === 'https://new.example.com', 'the new one is told', 30_000);
  });

  it('is known to a worker that starts while no API is there', async () => {
    const before = await api({ PUBLIC_URL: 'https://away.example.com' });
    const { data } = await before.http.post('/tasks', {
      ...{ name: 'waits-for-a-worker', exec_type: 'ASYNC', target_url: `${target.url}/async` },
    });
    const { data: run } = await before.http.post(`/tasks/${data.id}/runs`);
    await apis.pop()!.stop();
    worker = await startWorker(stack);
    const [call] = await target.waitFor(1, 60_000);
    expect(call.headers['x-punctual-callback-url']).toBe(`https://away.example.com/api/v1/callbacks/${run.id}`);
  });

  it('is what the worker itself was given, if it was', async () => {
    const one = await api({ PUBLIC_URL: 'https://jobs.example.com' });
    worker = await startWorker(stack, { PUBLIC_URL: 'https://near.example.com/' });
    expect(await told(one)).toBe('https://near.example.com');
  });
});
