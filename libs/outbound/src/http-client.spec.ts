import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AxiosError, AxiosInstance } from 'axios';
import { createHttpClient, type HttpClientOptions } from './http-client.js';
import { TargetClient } from './target-client.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function http(options: Partial<HttpClientOptions> = {}, allowLoopback = true): AxiosInstance {
  const client = new TargetClient({ maxConnectionsPerHost: 5, allowLoopback, allow: [], deny: [], userAgent: 'test' });
  cleanups.push(() => client.close());
  return createHttpClient({ client, ...options });
}

describe('axios over the guarded client', () => {
  it('sends JSON and query parameters and parses the answer', async () => {
    const url = await serve((request, response) => {
      request.on('data', (body: Buffer) => {
        const seen = {
          method: request.method,
          path: request.url,
          type: request.headers['content-type'],
          body: String(body),
        };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(seen));
      });
    });
    const response = await http().post<unknown>(`${url}/a`, { x: 'é' }, { params: { q: 'b c' } });
    expect(response.status).toBe(200);
    expect(response.data).toEqual({ method: 'POST', path: '/a?q=b+c', type: 'application/json', body: '{"x":"é"}' });
  });

  it('sends what it is given and no more, to the byte, where nothing is to be transformed', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push(request.url, request.rawHeaders);
      request.on('data', (body: Buffer) => (seen.push(body.toString()), response.end(' { "a": 1 } ')));
    });
    const data = ' {"x" : "é\\u00e9", "n": 1.0}\n';
    const headers = { 'content-type': 'application/json', 'X-Signature': 'v1=ab,v1=cd' };
    const asItIs = { transformRequest: [], transformResponse: [] };
    const path = '/a%2Fb//c;d/%7e?x=1&x=2&y=%C3%BC&z=[a]+%20:$,&=#part';
    const response = await http().request<string>({ method: 'PUT', url: url + path, data, headers, ...asItIs });
    expect(response.data).toBe(' { "a": 1 } ');
    const own = ['content-type', 'application/json', 'X-Signature', 'v1=ab,v1=cd', 'user-agent', 'test'];
    const connection = ['host', url.slice('http://'.length), 'connection', 'keep-alive'];
    const rest = ['accept-encoding', 'identity', 'content-length', String(Buffer.byteLength(data))];
    expect(seen).toEqual([path.split('#')[0], [...connection, ...own, ...rest], data]);
  });

  it('rejects with the status as axios does, and does not follow redirects', async () => {
    const url = await serve((request, response) => {
      response
        .writeHead(request.url === '/gone' ? 503 : 302, { location: '/elsewhere', 'retry-after': '3' })
        .end('why');
    });
    await expect(http().get(`${url}/gone`)).rejects.toMatchObject({
      code: 'ERR_BAD_RESPONSE',
      response: { status: 503, data: 'why', headers: { 'retry-after': '3' } },
    });
    await expect(http().get(url)).rejects.toMatchObject({
      message: 'the target answered 302 to /elsewhere; redirects are not followed',
      response: { status: 302 },
    });
  });

  it('refuses blocked addresses and reports network errors by their code', async () => {
    await expect(http({}, false).get('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'ADDRESS_BLOCKED' });
    await expect(http().get('http://127.0.0.1:1/')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: 'the target refused the connection (ECONNREFUSED)',
    });
  });

  it('gives up at its timeout or signal', async () => {
    const url = await serve((_, response) => void response.writeHead(200).write('x'));
    await expect(http({ timeoutMs: 50 }).get(url)).rejects.toMatchObject({ code: 'ECONNABORTED' });
    await expect(http().get(url, { timeout: 50 })).rejects.toMatchObject({
      code: 'ECONNABORTED',
      message: expect.stringMatching(/^timed out after \d+ ms waiting for the end of the response body$/),
    });
    await expect(http().get(url, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'ERR_CANCELED' });
  });

  it('takes a body up to its limit and no longer', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(50_000)));
    expect((await http().get<string>(url)).data).toHaveLength(50_000);
    await expect(http({ maxBodyBytes: 40_000 }).get(url)).rejects.toMatchObject({
      message: 'the response is too large',
    });
    const cut = await http({ maxBodyBytes: 40_000, longBody: 'cut' }).get<string>(url);
    expect(cut).toMatchObject({ status: 200, data: 'x'.repeat(40_000) });
  });

  it('gives the first hundred headers of an answer, whatever they are called', async () => {
    const odd = ['set', 'get', 'has', 'normalize', 'constructor', '__proto__', 'common', 'retry-after'];
    const many = Array.from({ length: 500 }, (_, i) => `h${i}`);
    const url = await serve((_, response) => {
      response.sendDate = false;
      response.writeHead(503, [...odd, ...many].map((name) => [name, '7']) as never).end();
    });
    const error: unknown = await http()
      .get(url)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ response: { status: 503, headers: { 'retry-after': '7', h91: '7' } } });
    expect((error as AxiosError).response?.headers).not.toHaveProperty('h100');
  });

  it('gives binary answers as bytes and refuses to send streams', async () => {
    const url = await serve((_, response) =>
      response.setHeader('content-type', 'image/png').end(Buffer.from([1, 255])),
    );
    expect(Buffer.from((await http().get<Buffer>(url)).data)).toEqual(Buffer.from([1, 255]));
    await expect(http().post(url, new FormData())).rejects.toMatchObject({ code: 'ERR_NOT_SUPPORT' });
  });
});
