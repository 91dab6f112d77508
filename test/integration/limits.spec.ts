import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import axios, { type AxiosInstance } from 'axios';
import { createLogger } from '#config';
import { openPlatform, type Platform, waitUntilReady } from '#pipeline';
import { openStack, type Stack } from '#testing';
import { createApp } from '../../apps/api/src/create-app.js';
import { FrontDoor } from '../../apps/api/src/front-door.js';
import { fieldsOf, taskBody } from '../support/api.js';
import { configFor } from '../support/product.js';

const CONNECTIONS = 30;

/** The API as its process puts it together, behind its front door, with limits that a test can reach. */
describe('limits of the API', () => {
  let stack: Stack;
  let platform: Platform;
  let http: AxiosInstance;
  let port: number;
  let stop: () => Promise<void>;
  const log: string[] = [];

  beforeAll(async () => {
    stack = await openStack();
    const config = configFor(stack, {
      ...{ PORT: '0', SCHEDULER: 'disabled', BODY_LIMIT: '500kb', LOG_LEVEL: 'debug', LOG_FORMAT: 'json' },
      ...{ REQUEST_TIMEOUT_SECONDS: '2', MAX_CONNECTIONS: String(CONNECTIONS) },
    });
    const write = (chunk: Buffer, _encoding: string, done: () => void) => (log.push(chunk.toString()), done());
    platform = openPlatform(config, createLogger(config, 'test', new Writable({ write })));
    const door = new FrontDoor(platform);
    const url = await door.listen();
    await waitUntilReady(platform);
    const app = await createApp(config, { platform, door });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    door.open();
    port = Number(new URL(url).port);
    http = axios.create({ baseURL: `${url}/api/v1`, validateStatus: () => true, maxBodyLength: Infinity });
    stop = () => app.close();
  });

  afterAll(async () => {
    await stop?.();
    await stack?.close();
  });

  const raw = (body: string, path = '/tasks') =>
    http.post(path, body, {
      headers: { 'content-type': 'application/json' },
      transformRequest: (data: unknown) => data,
    });
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  it('body: a request beyond BODY_LIMIT is 413, a batch beyond four times as much', async () => {
    expect((await raw(' '.repeat(513 * 1024))).status).toBe(413);
    expect((await raw(' '.repeat(513 * 1024), '/jobs/batch')).status).not.toBe(413);
    expect((await raw(' '.repeat(2_100 * 1024), '/jobs/batch')).status).toBe(413);
  });

  it('batch: more than 1,000 jobs are 422', async () => {
    const refused = await http.post('/jobs/batch', { jobs: Array(1001).fill({ type: 'x' }) });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, ['jobs']]);
  });

  it('depth, keys and strings: what is deeper, more or longer is 422 and names the field', async () => {
    const { data } = await http.post<{ id: string }>('/tasks', taskBody());
    const payloads: [unknown, number][] = [
      [nested(26), 202],
      [nested(40), 422],
      [keys(15_000), 202],
      [keys(20_001), 422],
      [Array.from({ length: 30 }, () => keys(1_000)), 422],
    ];
    for (const [payload, status] of payloads) {
      const answer = await http.post(`/tasks/${data.id}/runs`, { payload });
      expect(answer.status).toBe(status);
      if (status === 422) expect(fieldsOf(answer)[0]).toMatch(/^payload/);
    }
    const long = await http.post('/tasks', taskBody({ name: 'n'.repeat(129), body_template: 'b'.repeat(65_537) }));
    expect([long.status, fieldsOf(long).sort()]).toEqual([422, ['body_template', 'name']]);
  });

  it('depth and keys: hold for each job of a batch, and for the result of a callback', async () => {
    const { data } = await http.post<{ name: string }>('/tasks', taskBody({ max_concurrency: 0 }));
    for (const [payload, isGood] of [
      [nested(20), true],
      [nested(40), false],
      [keys(20_001), false],
    ] as const) {
      const batch = await http.post('/jobs/batch', { jobs: [{ type: data.name }, { type: data.name, payload }] });
      const [plain, job] = batch.data.items as { id?: string; status: unknown; errors?: { field: string }[] }[];
      expect([batch.status, typeof plain.id, typeof job.id]).toEqual([202, 'string', isGood ? 'string' : 'undefined']);
      if (!isGood) expect([job.status, job.errors?.[0].field]).toEqual([422, expect.stringMatching(/payload/)]);
      const callback = await http.post('/callbacks/1-1', { status: 'SUCCESS', result: payload });
      expect(callback.status).toBe(isGood ? 401 : 422);
      if (!isGood) expect(fieldsOf(callback)[0]).toMatch(/^result/);
    }
  });

  it('__proto__: is refused wherever it stands, and changes no object', async () => {
    const polluted = '{"__proto__":{"admin":true}}';
    const name = JSON.stringify(taskBody().name);
    const bodies: [string, string][] = [
      ['/tasks', polluted],
      ['/tasks', `{"name":${name},"target_url":"http://x.test/","notify":${polluted}}`],
      ['/tasks', `{"name":${name},"target_url":"http://x.test/","headers_json":${JSON.stringify(polluted)}}`],
      ['/tasks', `{"name":${name},"constructor":{"prototype":{"admin":true}}}`],
      ['/jobs', `{"type":"x","payload":{"a":[${polluted}]}}`],
    ];
    for (const [path, body] of bodies) expect((await raw(body, path)).status).toBe(422);
    // Of many, the one that is wrong is refused.
    const { data } = await raw(`{"jobs":[{"type":"x","payload":${polluted}}]}`, '/jobs/batch');
    expect(data.items).toMatchObject([{ status: 422, errors: [{ field: 'payload.__proto__' }] }]);
    expect((await http.get('/tasks?__proto__[admin]=1&__proto__=1')).status).toBe(422);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('headers of a request beyond 16 KiB are 431, an address beyond them too', async () => {
    expect((await http.get('/tasks', { headers: { 'x-long': 'x'.repeat(20_000) } })).status).toBe(431);
    expect((await http.get(`/tasks?name=${'x'.repeat(20_000)}`)).status).toBe(431);
  });

  /** What comes back on a connection until it is closed, and how long that took. */
  const conversation = (begin: (socket: Socket) => void) =>
    new Promise<{ text: string; ms: number }>((resolve) => {
      const began = performance.now();
      let text = '';
      const socket = connect(port, '127.0.0.1', () => begin(socket));
      socket.on('data', (chunk) => (text += String(chunk))).on('error', () => undefined);
      socket.on('close', () => resolve({ text, ms: performance.now() - began }));
    });
  const drip = (head: string) => (socket: Socket) => {
    socket.write(head);
    const timer = setInterval(() => (socket.writable ? socket.write('x') : clearInterval(timer)), 100);
    socket.on('close', () => clearInterval(timer));
  };

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['says nothing at all', () => undefined, /^$|408/],
    [
      'sends its headers byte by byte',
      drip('GET /api/v1/tasks HTTP/1.1\r\nhost: localhost\r\nx-slow: '),
      /408 Request Timeout/,
    ],
    [
      'sends its body byte by byte',
      drip(
        'POST /api/v1/tasks HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{',
      ),
      /408 Request Timeout/,
    ],
  ])('slow-loris: a client that %s is let go', async (_title, begin, expected) => {
    const { text, ms } = await conversation(begin);
    expect(text).toMatch(expected);
    if (text !== '') expect(text).toContain('problem');
    expect(ms).toBeGreaterThan(1_000);
    expect(ms).toBeLessThan(30_000);
  });

  it('slow-loris: connections beyond the limit are turned away, and it serves again once they are gone', async () => {
    const idle = Array.from({ length: CONNECTIONS + 20 }, () => conversation(() => undefined));
    await Promise.all(idle);
    expect(log.join('')).toContain('too many connections');
    expect((await http.get('/tasks')).status).toBe(200);
  });

  it('problem+json: an error inside shows nothing of itself; the trace id finds it in the log', async () => {
    const broken = jest.spyOn(platform.clock, 'now').mockImplementation(() => {
      throw new Error('SELECT * FROM inside WHERE password = hush at /srv/app/file.js');
    });
    const answer = await http.post('/tasks', taskBody());
    broken.mockRestore();
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.data).toEqual({
      type: 'urn:punctual:problem:internal',
      title: 'Internal Server Error',
      status: 500,
      detail: 'something went wrong here; the trace id finds it in the logs',
      trace_id: answer.headers['x-trace-id'],
    });
    expect(JSON.stringify(answer.headers)).not.toMatch(/inside|file\.js|fastify|express/i);
    const line = log.find((one) => one.includes(String(answer.data.trace_id)) && one.includes('FROM inside'));
    expect(line).toBeDefined();
  });
});
