import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { CallOutcome } from '#domain';
import { TEST_CERT, TEST_KEY } from './spec-certificate.js';
import { type OutboundOptions, TargetClient } from './target-client.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

function call(url: string, options: Partial<OutboundOptions> = {}): Promise<CallOutcome> {
  const client = new TargetClient({
    maxConnectionsPerHost: 10,
    allowLoopback: false,
    allow: [],
    deny: [],
    userAgent: 'test',
    ...options,
  });
  cleanups.push(() => client.close());
  return client.call({ method: 'GET', url, headers: {}, timeoutMs: 10_000 });
}

/** A server that must not be reached. */
async function trap(): Promise<{ port: number; touched: () => boolean }> {
  let touched = false;
  const port = await listen(createTcpServer((socket) => ((touched = true), socket.destroy())));
  return { port, touched: () => touched };
}

const BLOCKED = { kind: 'error', code: 'ADDRESS_BLOCKED' };

describe('the guard at dial time', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '017700000001',
    '2130706433',
    '127.0.0.1.',
    '0x7f000001',
    '１２７.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '0.0.0.0',
    '0',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '10.0.0.1',
    'localhost',
    'LOCALHOST',
  ])('refuses http://%s without a connection', async (host) => {
    const { port, touched } = await trap();
    expect(await call(`http://${host}:${port}/`)).toMatchObject(BLOCKED);
    expect(await call(`https://${host}:${port}/`)).toMatchObject(BLOCKED);
    expect(touched()).toBe(false);
  });

  it('refuses at once, and goes on doing so', async () => {
    for (let i = 0; i < 5; i++) {
      const outcome = await call('http://10.0.0.1/', { maxConnectionsPerHost: 1 });
      expect(outcome).toMatchObject(BLOCKED);
      expect(outcome.timings.totalMs).toBeLessThan(5_000);
    }
    const client = new TargetClient({
      maxConnectionsPerHost: 1,
      allowLoopback: false,
      allow: [],
      deny: [],
      userAgent: 't',
    });
    cleanups.push(() => client.close());
    const request = { method: 'GET', url: 'http://10.0.0.1/', headers: {}, timeoutMs: 10_000 };
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => client.call(request)));
    for (const outcome of outcomes) expect(outcome).toMatchObject(BLOCKED);
  });

  it('refuses a name that has a public and a private address', async () => {
    const { port, touched } = await trap();
    const both = [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const resolve: OutboundOptions['resolve'] = (_, done) => done(null, both);
    expect(await call(`http://both.example:${port}/`, { resolve })).toMatchObject(BLOCKED);
    expect(touched()).toBe(false);
  });

  it('dials the address it checked: a second answer of the name server is never asked for', async () => {
    const port = await listen(createHttpServer((request, response) => response.end(request.headers.host)));
    let asked = 0;
    const resolve: OutboundOptions['resolve'] = (_, done) => {
      asked++;
      done(null, [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
    };
    const outcome = await call(`http://rebind.example:${port}/`, { resolve, allow: ['rebind.example'] });
    expect(outcome).toMatchObject({ status: 200, body: `rebind.example:${port}` });
    expect(asked).toBe(1);
  });

  it('judges every new connection anew', async () => {
    const port = await listen(createHttpServer((_, response) => response.setHeader('connection', 'close').end()));
    let asked = 0;
    const client = new TargetClient({
      maxConnectionsPerHost: 1,
      allowLoopback: true,
      allow: [],
      deny: [],
      userAgent: 'test',
      resolve: (_, done) => done(null, [{ address: asked++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }]),
    });
    cleanups.push(() => client.close());
    const request = { method: 'GET', url: `http://rebind.example:${port}/`, headers: {}, timeoutMs: 10_000 };
    expect(await client.call(request)).toMatchObject({ status: 200 });
    expect(await client.call(request)).toMatchObject(BLOCKED);
  });

  it('lets through what is allowed, on the allowed port only', async () => {
    const port = await listen(createHttpServer((_, response) => response.end('in')));
    expect(await call(`http://localhost:${port}/`, { allowLoopback: true })).toMatchObject({ body: 'in' });
    expect(await call(`http://127.0.0.1:${port}/`, { allow: [`127.0.0.0/8:${port}`] })).toMatchObject({ body: 'in' });
    expect(await call(`http://127.0.0.1:${port}/`, { allow: [`127.0.0.0/8:${port - 1}`] })).toMatchObject(BLOCKED);
    expect(await call(`http://127.0.0.1:${port}/`, { allow: ['*'], deny: [`*:${port}`] })).toMatchObject(BLOCKED);
  });

  it('ignores a user name in the URL, which must not look like the host', async () => {
    const port = await listen(
      createHttpServer((request, response) => response.end(request.headers.authorization ?? 'none')),
    );
    const url = `http://example.org:80@127.0.0.1:${port}/`;
    expect(await call(url)).toMatchObject(BLOCKED);
    expect(await call(url, { allowLoopback: true })).toMatchObject({ body: 'none' });
  });
});

describe('TLS', () => {
  const serve = (): Promise<number> =>
    listen(createHttpsServer({ key: TEST_KEY, cert: TEST_CERT }, (_, response) => response.end('secret')));

  it('refuses a certificate that nobody vouches for, even if the environment says not to look', async () => {
    const port = await serve();
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    cleanups.push(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    const outcome = await call(`https://localhost:${port}/`, { allowLoopback: true });
    expect(outcome).toMatchObject({ kind: 'error', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  it('says so when the target speaks no TLS', async () => {
    const port = await listen(createHttpServer((_, response) => response.end('plain')));
    const outcome = await call(`https://127.0.0.1:${port}/`, { allowLoopback: true });
    expect(outcome).toMatchObject({ kind: 'error', code: expect.stringMatching(/^(ERR_SSL|EPROTO)/) as unknown });
  });
});
