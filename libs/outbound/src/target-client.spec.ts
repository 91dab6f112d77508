import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type OutboundOptions, TargetClient } from './target-client.js';
import type { TargetCall } from './target-call.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server | TcpServer): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const http = async (listener: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(listener))}`;
const tcp = async (listener: (socket: Socket) => void): Promise<string> =>
  `127.0.0.1:${await listen(createTcpServer(listener))}`;

function client(options: Partial<OutboundOptions> = {}): TargetClient {
  const made = new TargetClient({
    maxConnectionsPerHost: 10,
    allowLoopback: true,
    allow: [],
    deny: [],
    userAgent: 'Punctual-test',
    ...options,
  });
  cleanups.push(() => made.close());
  return made;
}

const get = (url: string, more: Partial<TargetCall> = {}): TargetCall => ({
  method: 'GET',
  url,
  headers: {},
  timeoutMs: 20_000,
  ...more,
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('a call', () => {
  it('sends method, path, headers and body, and brings back status, headers, body and timings', async () => {
    const seen: unknown[] = [];
    const url = await http((request, response) => {
      void bodyOf(request).then((body) => {
        const { method, url: path, headers } = request;
        seen.push(method, path, headers['x-a'], headers['user-agent'], headers['accept-encoding'], body);
        response.writeHead(201, {
          'content-type': 'application/json',
          'retry-after': '7',
          'set-cookie': ['a=1', 'b=2'],
        });
        response.end('{"ok":"ja – ✓"}');
      });
    });
    const outcome = await client().call(
      get(`${url}/p/q?x=1#no`, { method: 'POST', headers: { 'X-A': 'b' }, body: '{"é":1}' }),
    );
    expect(seen).toEqual(['POST', '/p/q?x=1', 'b', 'Punctual-test', 'identity', '{"é":1}']);
    expect(outcome).toMatchObject({
      kind: 'response',
      status: 201,
      headers: { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] },
      body: '{"ok":"ja – ✓"}',
      bodyEncoding: 'text',
      bodyBytes: 19,
      truncated: false,
      retryAfter: '7',
    });
    expect(outcome.timings.totalMs).toBeGreaterThan(0);
  });

  it("leaves the task's own user-agent alone", async () => {
    const url = await http((request, response) => response.end(request.rawHeaders.join('|')));
    const outcome = await client().call(get(url, { headers: { 'User-Agent': 'mine' } }));
    expect(outcome).toMatchObject({ body: expect.stringContaining('User-Agent|mine') as unknown });
    expect(outcome).not.toMatchObject({ body: expect.stringContaining('Punctual-test') as unknown });
  });

  it.each(['HEAD', 'DELETE', 'PUT', 'PATCH'])('works with %s', async (method) => {
    const url = await http((request, response) => response.setHeader('x-method', request.method ?? '').end());
    expect(await client().call(get(url, { method }))).toMatchObject({ status: 200, headers: { 'x-method': method } });
  });

  it('uses a connection again', async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end('ok')).on('connection', () => connections++);
    const url = `http://127.0.0.1:${await listen(server)}`;
    const calls = client();
    for (let i = 0; i < 20; i++) expect(await calls.call(get(url))).toMatchObject({ status: 200 });
    // a connection is free again one turn of the event loop after its response, so that two take turns
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('opens no more connections to a host than it may', async () => {
    let open = 0;
    let most = 0;
    const url = await http((_, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => response.end(String(open--)), 5);
    });
    const calls = client({ maxConnectionsPerHost: 3 });
    await Promise.all(Array.from({ length: 30 }, () => calls.call(get(url))));
    expect(most).toBe(3);
  });

  it('does not follow redirects', async () => {
    let followed = false;
    const url = await http((request, response) => {
      followed ||= request.url === '/next';
      response.writeHead(307, { location: '/next' }).end();
    });
    expect(await client().call(get(url))).toMatchObject({
      kind: 'response',
      status: 307,
      headers: { location: '/next' },
    });
    expect(followed).toBe(false);
  });

  it('ignores proxy variables', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9', NO_PROXY: '' });
    cleanups.push(() => (process.env = before));
    const url = await http((_, response) => response.end('direct'));
    expect(await client().call(get(url))).toMatchObject({ body: 'direct' });
  });
});

describe('a large or odd response', () => {
  it('is cut at the keep limit, between characters, and the connection is kept', async () => {
    const url = await http((_, response) => response.setHeader('content-type', 'text/plain').end('aé'.repeat(20_000)));
    const outcome = await client().call(get(url));
    expect(outcome).toMatchObject({ bodyBytes: 60_000, truncated: true, bodyEncoding: 'text' });
    expect((outcome as { body: string }).body).toBe('aé'.repeat(5461) + 'a');
  });

  it('is dropped at the read limit, judged by its status, and costs no memory', async () => {
    let sent = 0;
    let hungUp = false;
    const url = await http((_, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const pump = (): void => {
        while (!hungUp && sent < 1024 ** 3) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pump);
        }
      };
      response.on('close', () => (hungUp = true));
      response.writeHead(200, { 'content-length': 1024 ** 3 });
      pump();
    });
    const outcome = await client().call(get(url));
    expect(outcome).toMatchObject({ kind: 'response', status: 200, truncated: true });
    expect((outcome as { bodyBytes: number }).bodyBytes).toBeLessThan(2 * 1024 * 1024);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    const url = await http((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(await client().call(get(url))).toMatchObject({
      bodyEncoding: 'base64',
      bodyBytes: bomb.length,
      body: bomb.toString('base64'),
    });
  });

  it('with 103 Early Hints before it is the response after them', async () => {
    const url = await http((_, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.end('final');
    });
    expect(await client().call(get(url))).toMatchObject({ status: 200, body: 'final' });
  });

  it.each([
    ['HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 'UND_ERR'],
    ['SSH-2.0-OpenSSH_9.2\r\n', 'HPE_'],
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'UND_ERR_SOCKET'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 'UND_ERR_HEADERS_OVERFLOW'],
    ['', 'UND_ERR_SOCKET'],
  ])('such as %.40j is an error', async (text, code) => {
    const host = await tcp((socket) => socket.once('data', () => socket.end(text)));
    const outcome = await client().call(get(`http://${host}/`));
    expect(outcome).toMatchObject({ kind: 'error', code: expect.stringContaining(code) as unknown });
  });
});

describe('the deadline', () => {
  const drip = (socket: Socket, head: string): void => {
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 10);
    socket.on('close', () => clearInterval(timer));
  };

  /** A machine that is too busy to get to that phase in time is given more of it. */
  const timedOutIn = async (phase: string, url: string) => {
    for (let timeoutMs = 150; ; timeoutMs *= 5) {
      const outcome = await client().call(get(url, { timeoutMs }));
      const isThere = outcome.kind !== 'timeout' || outcome.phase === phase;
      if (isThere || timeoutMs > 10_000) return { timeoutMs, outcome };
    }
  };

  it.each([
    ['never answers', 'headers', () => undefined],
    ['drips its headers', 'headers', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx-slow: ')],
    ['drips its body', 'body', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n')],
  ] as const)('ends a call to a target that %s, and its connection', async (_, phase, behave) => {
    let closed: Promise<unknown> | undefined;
    const host = await tcp((socket) => {
      // Not events.once: a connection that is reset says so as an error first.
      closed = new Promise((resolve) => socket.once('close', resolve));
      socket.once('data', () => behave(socket));
    });
    const { timeoutMs, outcome } = await timedOutIn(phase, `http://${host}/`);
    expect(outcome).toMatchObject({ kind: 'timeout', phase });
    expect(outcome.timings.totalMs).toBeGreaterThan(timeoutMs - 10);
    expect(outcome.timings.totalMs).toBeLessThan(timeoutMs + 5_000);
    await closed;
  });

  it('covers name lookup, connecting and TLS', async () => {
    const silent = await tcp(() => undefined);
    const lookup = client({ resolve: () => undefined }).call(get('http://slow.example/', { timeoutMs: 100 }));
    const handshake = client().call(get(`https://${silent}/`, { timeoutMs: 100 }));
    expect(await lookup).toMatchObject({ kind: 'timeout', phase: 'connect' });
    expect(await handshake).toMatchObject({ kind: 'timeout', phase: 'connect' });
  });

  it('covers waiting for a free connection; the call is then never sent, and costs no connection', async () => {
    const paths: (string | undefined)[] = [];
    let connections = 0;
    let holdsSlow = (_: ServerResponse): void => undefined;
    const held = new Promise<ServerResponse>((resolve) => (holdsSlow = resolve));
    const server = createServer((request, response) => {
      paths.push(request.url);
      if (request.url === '/slow') holdsSlow(response);
      else response.end();
    }).on('connection', () => connections++);
    const url = `http://127.0.0.1:${await listen(server)}`;
    const calls = client({ maxConnectionsPerHost: 1 });
    const slow = calls.call(get(`${url}/slow`));
    const response = await held;
    expect(await calls.call(get(`${url}/late`, { timeoutMs: 100 }))).toMatchObject({
      kind: 'timeout',
      phase: 'connect',
    });
    response.end();
    expect(await slow).toMatchObject({ status: 200 });
    expect(await calls.call(get(`${url}/next`))).toMatchObject({ status: 200 });
    expect(paths).toEqual(['/slow', '/next']);
    expect(connections).toBe(1);
  });
});

describe('the signal', () => {
  it('aborts at once, before and during the call', async () => {
    const gone = new AbortController();
    gone.abort();
    const url = await http((_, response) => void response.writeHead(200).write('x'));
    expect(await client().call(get(url, { signal: gone.signal }))).toMatchObject({ kind: 'aborted' });

    const controller = new AbortController();
    const pending = client().call(get(url, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    const outcome = await pending;
    expect(outcome).toMatchObject({ kind: 'aborted' });
    expect(outcome.timings.totalMs).toBeLessThan(10_000);
  });

  it('has a cheaper sibling: a function that aborts the one call', async () => {
    const url = await http((_, response) => void response.writeHead(200).write('x'));
    const started = performance.now();
    const outcome = await client().call(get(url, { abortable: (abort) => setTimeout(abort, 50) }));
    expect(outcome).toMatchObject({ kind: 'aborted' });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('may be shared by many calls', async () => {
    const url = await http((_, response) => void response.writeHead(200).write('x'));
    const controller = new AbortController();
    const calls = client({ maxConnectionsPerHost: 5 });
    const pending = Array.from({ length: 20 }, () => calls.call(get(url, { signal: controller.signal })));
    setTimeout(() => controller.abort(), 50);
    for (const outcome of await Promise.all(pending)) expect(outcome.kind).toBe('aborted');
  });

  it('has no listener left after the call', async () => {
    const url = await http((_, response) => response.end());
    const { signal } = new AbortController();
    expect(await client().call(get(url, { signal }))).toMatchObject({ status: 200 });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('errors', () => {
  it('has the code of a refused connection, also when a name has several addresses', async () => {
    const both = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    const calls = client({ resolve: (_, done) => done(null, both) });
    for (const host of ['127.0.0.1', 'both.example']) {
      // Nobody listens there, and nobody is given that port by chance.
      expect(await calls.call(get(`http://${host}:1/`))).toMatchObject({
        kind: 'error',
        code: 'ECONNREFUSED',
        message: expect.stringContaining('ECONNREFUSED') as unknown,
      });
    }
  });

  it('has the code of a failed lookup and of a reset', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const lookup = client({ resolve: (_, done) => done(missing, []) });
    expect(await lookup.call(get('http://missing.example/'))).toMatchObject({ kind: 'error', code: 'ENOTFOUND' });
    const host = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await client().call(get(`http://${host}/`))).toMatchObject({ kind: 'error', code: 'ECONNRESET' });
  });

  it.each([
    [{ url: 'nonsense' }],
    [{ url: 'ftp://example.org/' }],
    [{ url: 'http://127.0.0.1:1/', headers: { 'bad name': 'x' } }],
    [{ url: 'http://127.0.0.1:1/', headers: { a: 'x\r\ny: z' } }],
    [{ url: 'http://127.0.0.1:1/', headers: { Upgrade: 'x' } }],
    [{ url: 'http://127.0.0.1:1/', method: 'BAD METHOD' }],
  ])('%j cannot be sent, and says so without throwing', async (request) => {
    expect(await client().call(get('', request))).toMatchObject({ kind: 'error', code: 'INVALID_REQUEST' });
  });

  it('ends calls in flight when the client is closed', async () => {
    let hears = (): void => undefined;
    const heard = new Promise<void>((resolve) => (hears = resolve));
    const host = await tcp((socket) => void socket.once('data', hears));
    const calls = client();
    const pending = calls.call(get(`http://${host}/`));
    await heard;
    await calls.close();
    expect(await pending).toMatchObject({ kind: 'error', code: 'CLIENT_CLOSED' });
    expect(await calls.call(get(`http://${host}/`))).toMatchObject({ kind: 'error', code: 'CLIENT_CLOSED' });
  });
});
