import { once } from 'node:events';
import { stat } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { request } from 'undici';
import { TEST_CERT, TEST_KEY } from '../spec-certificate.js';
import { type OutboundOptions, TargetClient } from '../target-client.js';
import { type Dial, ConnectionPool } from './connection-pool.js';
import { IdleConnections } from './idle-connections.js';
import { requestHead } from './request-head.js';

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

/** A server that hears one request after the other on each connection; bodies count as part of the next one's bytes. */
async function tcp(answer: (socket: Socket, text: string, connection: number) => void): Promise<string> {
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    socket.on('error', () => undefined).on('data', (bytes) => answer(socket, bytes.toString('latin1'), connection));
    cleanups.push(() => socket.destroy());
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

function client(options: Partial<OutboundOptions> = {}): TargetClient {
  const rules = { maxConnectionsPerHost: 10, allowLoopback: true, allow: [], deny: [], userAgent: 'test' };
  const made = new TargetClient({ ...rules, ...options });
  cleanups.push(() => made.close());
  return made;
}

const call = (calls: TargetClient, url: string, more: Partial<Parameters<TargetClient['call']>[0]> = {}) =>
  calls.call({ method: 'GET', url, headers: {}, timeoutMs: 20_000, ...more });

const answer = (body: string, more = ''): string =>
  `HTTP/1.1 200 OK\r\n${more}content-length: ${body.length}\r\n\r\n${body}`;
const wire = () => {
  const line = { method: 'GET', path: '/', host: 'x', headers: {}, more: '', length: null, keepsAlive: true };
  return { head: requestHead(line), body: null, isAscii: true, hasNoBody: false, keepsAlive: true };
};

function caller() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const [onEnd, fail] = [jest.fn(end), jest.fn<(error: unknown) => void>(end)];
  return { isOver: false, onSent: jest.fn(), onHead: jest.fn(), onData: jest.fn(), onEnd, fail, ended };
}

const turns = async (count = 3): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('a kept connection', () => {
  it('is used by the next call, and the call after that', async () => {
    const url = await tcp((socket, _, connection) => socket.write(answer(String(connection))));
    const calls = client();
    for (let i = 0; i < 5; i++) expect(await call(calls, url)).toMatchObject({ body: '1' });
  });

  it('is not used again when its server has sent more than was asked for', async () => {
    const url = await tcp((socket, _, connection) => socket.write(answer(String(connection)) + answer('smuggled')));
    const calls = client();
    for (const body of ['1', '2', '3']) expect(await call(calls, url)).toMatchObject({ body });
  });

  it('is closed when its server speaks unasked: that is nobody’s answer', async () => {
    const url = await tcp((socket, _, connection) => {
      socket.write(answer(String(connection)));
      setTimeout(() => socket.write(answer('smuggled')), 5);
    });
    const calls = client();
    expect(await call(calls, url)).toMatchObject({ body: '1' });
    await turns();
    expect(await call(calls, url)).toMatchObject({ body: '2' });
  });

  it('is not used again when the server says so, or will have closed it', async () => {
    for (const more of ['connection: close\r\n', 'keep-alive: timeout=2\r\n']) {
      const url = await tcp((socket, _, connection) => socket.write(answer(String(connection), more)));
      const calls = client();
      for (const body of ['1', '2']) expect(await call(calls, url)).toMatchObject({ body });
    }
  });

  it('is not used again after a HEAD, whatever was sent behind its headers', async () => {
    const url = await tcp((socket, text, connection) => {
      socket.write(text.startsWith('HEAD') ? answer('a body all the same') : answer(String(connection)));
    });
    const calls = client();
    expect(await call(calls, url, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect(await call(calls, url)).toMatchObject({ body: '2' });
  });

  it('is not used again after a DELETE with a body, which not every server reads', async () => {
    const url = await tcp((socket, text, connection) => {
      const requests = text.split('\r\n').filter((line) => line.endsWith('HTTP/1.1'));
      for (const line of requests) socket.write(answer(`${connection}: ${line}`));
    });
    const calls = client();
    const body = 'GET /smuggled HTTP/1.1\r\n\r\n';
    await call(calls, url, { method: 'DELETE', body });
    expect(await call(calls, url)).toMatchObject({ body: '2: GET / HTTP/1.1' });
  });

  it('is used again after answers that have no body', async () => {
    const url = await tcp((socket, _, connection) => {
      socket.write(`HTTP/1.1 204 No Content\r\nx-connection: ${connection}\r\n\r\n`);
    });
    const calls = client();
    for (let i = 0; i < 5; i++) expect(await call(calls, url)).toMatchObject({ headers: { 'x-connection': '1' } });
  });

  it('is not used again when its server has closed it', async () => {
    const url = await tcp((socket, _, connection) => {
      socket.write(answer(String(connection)));
      setTimeout(() => socket.end(), 5);
    });
    const calls = client();
    expect(await call(calls, url)).toMatchObject({ body: '1' });
    await turns();
    expect(await call(calls, url)).toMatchObject({ body: '2' });
  });

  it('is let go of before its server does, when nobody needs it', async () => {
    let ended: Promise<unknown> | undefined;
    const url = await tcp((socket) => {
      ended ??= once(socket, 'close');
      socket.write(answer('x', 'keep-alive: timeout=3\r\n'));
    });
    expect(await call(client(), url)).toMatchObject({ status: 200 });
    await ended;
  });

  it('is not used again when the answer came before the request was sent in full', async () => {
    const url = await tcp((socket, _, connection) => {
      socket.write(answer(String(connection)));
      socket.pause();
    });
    const calls = client();
    const body = 'é'.repeat(8_000_000);
    expect(await call(calls, url, { method: 'POST', body })).toMatchObject({ body: '1' });
    expect(await call(calls, url)).toMatchObject({ body: '2' });
  });
});

/** A server in a thread of its own, so that it goes on while this one is busy. It says which connection it is. */
async function inThread(server: string, data: object = {}): Promise<number> {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    let connections = 0;
    const answer = (text) => 'HTTP/1.1 200 OK\\r\\ncontent-length: ' + text.length + '\\r\\n\\r\\n' + text;
    const onSocket = (socket) => {
      const text = String(++connections);
      socket.on('error', () => undefined).on('data', () => { socket.write(answer(text)); after(socket); });
    };
    let after = () => undefined;
    ${server}
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: data },
  );
  cleanups.push(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  return port;
}

function beBusy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('a worker that was busy', () => {
  it.each([
    ['has sent something unasked', "after = (socket) => setTimeout(() => socket.write(answer('smuggled')), 60);"],
    ['has closed the connection', 'after = (socket) => setTimeout(() => socket.end(), 60);'],
  ])('notices first that the server %s meanwhile', async (_, after) => {
    const port = await inThread(`const server = require('node:net').createServer(onSocket); ${after}`);
    const calls = client();
    expect(await call(calls, `http://127.0.0.1:${port}/`)).toMatchObject({ body: '1' });
    await turns(1);
    beBusy(200);
    expect(await call(calls, `http://127.0.0.1:${port}/`)).toMatchObject({ body: '2' });
    // Likewise while it reads from a file or a socket, as where its work comes from.
    const second = await new Promise((resolve) => {
      stat('.', () => {
        beBusy(200);
        resolve(call(calls, `http://127.0.0.1:${port}/`));
      });
    });
    expect(second).toMatchObject({ body: '3' });
  });
});

describe('over TLS', () => {
  it('connections are used again as well', async () => {
    const server = "const server = require('node:tls').createServer(workerData, onSocket);";
    const port = await inThread(server, { cert: TEST_CERT, key: TEST_KEY });
    const calls = client({ maxConnectionsPerHost: 2, trusted: [TEST_CERT] });
    const lane = async () => {
      const bodies = [];
      for (let i = 0; i < 100; i++) bodies.push(await call(calls, `https://127.0.0.1:${port}/`));
      return bodies;
    };
    const bodies = (await Promise.all([lane(), lane(), lane()])).flat().map((one) => (one as { body: string }).body);
    expect(new Set(bodies)).toEqual(new Set(['1', '2']));
  });
});

describe('calls that wait for a connection', () => {
  it('go out in the order in which they came', async () => {
    const paths: string[] = [];
    const url = await tcp((socket, text) => {
      paths.push(text.split(' ')[1]);
      socket.write(answer('x'));
    });
    const calls = client({ maxConnectionsPerHost: 1 });
    await Promise.all(Array.from({ length: 20 }, (_, i) => call(calls, `${url}/${i}`)));
    expect(paths).toEqual(Array.from({ length: 20 }, (_, i) => `/${i}`));
  });

  it('do not open another one when some are about to be free', async () => {
    let connections = 0;
    const url = await tcp((socket, _, connection) => {
      connections = Math.max(connections, connection);
      socket.write(answer('x'));
    });
    const calls = client({ maxConnectionsPerHost: 50 });
    const lane = async () => {
      for (let i = 0; i < 50; i++) await call(calls, url);
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(connections).toBeLessThanOrEqual(6);
  });

  it('fail one by one when no connection can be made', async () => {
    const refused = await Promise.all(Array.from({ length: 30 }, () => call(client(), 'http://127.0.0.1:1/')));
    const calls = client({ maxConnectionsPerHost: 2 });
    refused.push(...(await Promise.all(Array.from({ length: 30 }, () => call(calls, 'http://127.0.0.1:1/')))));
    expect(refused).toHaveLength(60);
    for (const outcome of refused) expect(outcome).toMatchObject({ kind: 'error', code: 'ECONNREFUSED' });
  });

  it('leave the connection that was opened for them to the next one when they are over', async () => {
    let connected: ((socket: Socket) => void) | undefined;
    const port = Number(new URL(await tcp((socket) => socket.write(answer('x')))).port);
    const dial = jest.fn<Dial>((done) => (connected = (socket) => done(null, socket)));
    const empty = jest.fn();
    const pool = new ConnectionPool(dial, 1, new IdleConnections(10), empty);
    const [first, second] = [caller(), caller()];
    pool.send(wire(), first);
    pool.send(wire(), second);
    first.isOver = true;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    connected?.(socket);
    await second.ended;
    expect(first.onSent).not.toHaveBeenCalled();
    expect(dial).toHaveBeenCalledTimes(1);
    expect(empty).not.toHaveBeenCalled();
    pool.close(new Error('over'));
    await once(socket, 'close');
    expect(empty).toHaveBeenCalledTimes(1);
  });

  it('have another one opened when the one before them hangs, for somebody who has given up', () => {
    const dial = jest.fn<Dial>();
    const pool = new ConnectionPool(dial, 2, new IdleConnections(10), jest.fn());
    const [first, second, third] = [caller(), caller(), caller()];
    pool.send(wire(), first);
    first.isOver = true;
    pool.send(wire(), second);
    expect(dial).toHaveBeenCalledTimes(2);
    dial.mock.calls[0][0](new Error('too late'), null);
    expect(second.fail).not.toHaveBeenCalled();
    pool.send(wire(), third);
    dial.mock.calls[1][0](new Error('refused'), null);
    expect(second.fail).toHaveBeenCalledTimes(1);
    expect(third.fail).not.toHaveBeenCalled();
  });

  it('fail when opening one throws, again and again', async () => {
    const pool = new ConnectionPool(
      () => {
        throw new Error('cannot be opened');
      },
      1,
      new IdleConnections(10),
      jest.fn(),
    );
    for (let i = 0; i < 3; i++) {
      const one = caller();
      pool.send(wire(), one);
      await one.ended;
      expect(one.fail).toHaveBeenCalledWith(expect.objectContaining({ message: 'cannot be opened' }));
    }
  });

  it('are forgotten when they are over, though no connection has come free', () => {
    const pool = new ConnectionPool(jest.fn<Dial>(), 1, new IdleConnections(10), jest.fn());
    for (let i = 0; i < 1_000; i++) pool.send(wire(), { ...caller(), isOver: i > 0 });
    expect(pool['waiting'].length).toBeLessThan(100);
  });
});

describe('connections that nobody uses', () => {
  it('are bounded over all origins: the one that was idle longest goes first', async () => {
    const sockets: Socket[] = [];
    const idle = new IdleConnections(2);
    const pools = await Promise.all(
      [0, 1, 2].map(async () => {
        const url = new URL(await tcp((socket) => socket.write(answer('x'))));
        const dial: Dial = (done) => {
          const socket = connect(Number(url.port), '127.0.0.1', () => done(null, socket));
          sockets.push(socket);
        };
        return new ConnectionPool(dial, 1, idle, jest.fn());
      }),
    );
    for (const pool of pools) {
      const one = caller();
      pool.send(wire(), one);
      await one.ended;
      await turns();
    }
    expect(sockets.map((socket) => socket.destroyed)).toEqual([true, false, false]);
    const again = caller();
    pools[1].send(wire(), again);
    await again.ended;
    expect(sockets).toHaveLength(3);
    for (const pool of pools) pool.close(new Error('over'));
  });
});

describe('what comes of a call', () => {
  const http = async (listener: RequestListener): Promise<string> =>
    `http://127.0.0.1:${await listen(createHttpServer(listener))}`;

  it('is known when the client has been closed', async () => {
    let hears = (): void => undefined;
    const heard = new Promise<void>((resolve) => (hears = resolve));
    const url = await tcp(() => hears());
    const calls = client();
    const outcome = jest.fn();
    void call(calls, url).then(outcome);
    await heard;
    await calls.close();
    await Promise.resolve();
    expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ code: 'CLIENT_CLOSED' }));
  });

  it('is its answer also when that ends by a reset, having no other end', async () => {
    const url = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nhello');
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    expect(await call(client(), url)).toMatchObject({ status: 200, body: 'hello' });
  });

  it('is the same as undici makes of it', async () => {
    let next = { status: 200, headers: [['x', 'y']], pieces: [''] };
    const url = await http((_, response) => {
      response.writeHead(next.status, next.headers.flat());
      for (const piece of next.pieces) response.write(piece);
      response.end();
    });
    const header = fc.tuple(
      fc.constantFrom('x-a', 'X-B', 'set-cookie', 'ETag'),
      // Space at its end belongs to the line, not to the value; undici leaves it there.
      fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((value) => value.trimEnd()),
    );
    const responses = fc.record({
      status: fc.constantFrom(200, 201, 204, 302, 304, 404, 429, 500, 599),
      headers: fc.array(header, { maxLength: 5 }),
      pieces: fc.array(fc.string({ minLength: 1, maxLength: 200 }), { maxLength: 4 }),
    });
    const calls = client();
    await fc.assert(
      fc.asyncProperty(responses, async (response) => {
        next = response;
        const theirs = await request(url);
        const text = await theirs.body.text();
        const { date: _, ...headers } = theirs.headers;
        const ours = await call(calls, url);
        expect(ours).toMatchObject({ kind: 'response', status: theirs.statusCode, headers, body: text });
      }),
      { numRuns: 150 },
    );
  });
});
