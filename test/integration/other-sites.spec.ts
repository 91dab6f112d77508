import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { clientWith, keyFor } from '../support/keys.js';

const REBOUND = { host: 'evil.example' };
const CROSS_SITE = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

describe('pages of other sites, in a browser on the same machine', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { DEMO_TARGET: 'enabled' });
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  const ask = (method: string, path: string, headers: object) =>
    api.http.request({ method, url: `${api.url}${path}`, headers, data: method === 'POST' ? taskBody() : undefined });

  it.each([
    ['by a name of their own', REBOUND],
    ['by any name', CROSS_SITE],
  ])('read and change nothing where nobody is asked for a key: %s', async (_, headers) => {
    const requests = [
      ['GET', '/api/v1/tasks'],
      ['POST', '/api/v1/tasks'],
      ['GET', '/metrics'],
      ['GET', '/demo/echo'],
    ];
    for (const [method, path] of requests) {
      const { status, data, headers: told } = await ask(method, path, headers);
      expect([path, status, data.type]).toEqual([path, 403, 'urn:punctual:problem:forbidden']);
      expect(told['content-type']).toContain('application/problem+json');
      expect(data.detail).toMatch(/localhost.*AUTH_MODE=keys/);
    }
    expect((await api.http.get('/tasks')).data.items).toEqual([]);
  });

  it('find the probes and the document, which tell nothing, and callbacks ask for their token', async () => {
    for (const path of ['/healthz', '/docs/openapi.json']) expect((await ask('GET', path, REBOUND)).status).toBe(200);
    const callback = { method: 'POST', url: '/callbacks/1-1', headers: REBOUND, data: { status: 'SUCCESS' } };
    expect((await api.http.request(callback)).status).toBe(401);
  });

  it('are no matter where keys are asked for: they have none, and the deployment has names', async () => {
    const open = await startApi(stack, { AUTH_MODE: 'keys' });
    try {
      const { text } = await keyFor(open.platform, 'acme', 'VIEWER');
      expect((await clientWith(open.url, text, REBOUND).get('/tasks')).status).toBe(200);
      expect((await clientWith(open.url, null, CROSS_SITE).get('/tasks')).status).toBe(401);
    } finally {
      await open.stop();
    }
  });
});
