import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTargetStub, type TargetStub } from './target-stub.js';

describe('the target stub', () => {
  let stub: TargetStub;
  beforeEach(async () => {
    stub = await startTargetStub();
  });
  afterEach(() => stub.close());

  it('writes down what it was asked, with the run id', async () => {
    const headers = { 'x-punctual-run-id': 'run-1' };
    const response = await fetch(`${stub.url}/a?b=c`, { method: 'PUT', headers, body: 'hello' });
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
    const [call] = await stub.waitFor((calls) => calls[0]?.endedAt !== undefined);
    expect(call).toMatchObject({ method: 'PUT', url: '/a?b=c', path: '/a', body: 'hello', runId: 'run-1' });
    expect(call?.aborted).toBeUndefined();
  });

  it('answers each path as it was told, in turn if it is a function', async () => {
    stub.on('/json', { status: 201, body: { a: 1 } }).on('/moved', { redirect: '/json' });
    stub.on('/flaky', (_call, nth) => ({ status: nth < 2 ? 503 : 200 }));
    expect(await (await fetch(`${stub.url}/json`)).json()).toEqual({ a: 1 });
    const moved = await fetch(`${stub.url}/moved`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/json']);
    const statuses = [await fetch(`${stub.url}/flaky`), await fetch(`${stub.url}/flaky`)].map((r) => r.status);
    expect(statuses).toEqual([503, 200]);
  });

  it('notices a caller that gives up', async () => {
    stub.on('/slow', { hang: true });
    const abort = new AbortController();
    const given = fetch(`${stub.url}/slow`, { signal: abort.signal });
    await stub.waitFor(1);
    abort.abort();
    await expect(given).rejects.toThrow();
    const [call] = await stub.waitFor((calls) => calls[0]?.aborted === true);
    expect(call?.endedAt).toBeDefined();
  });

  it('says what came when the calls waited for did not', async () => {
    await fetch(`${stub.url}/only`);
    await expect(stub.waitFor(2, 20)).rejects.toThrow('not 2 calls within 20 ms: 1 came, last ["GET /only"]');
  });
});
