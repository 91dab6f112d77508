import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { createLogger } from '#config';
import { TargetClient } from '#outbound';
import { openPlatform, waitUntilReady } from '#pipeline';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { ExecuteModule } from '../../../apps/worker/src/execute.module.js';
import { Worker } from '../../../apps/worker/src/worker.js';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../../support/api.js';
import { Outbound } from '../../support/outbound.js';
import { configFor, type RunningWorker, startWorker } from '../../support/product.js';

/** One of each kind, and of each way to hide it; test/security has them all. */
const HOSTS = [
  ...[
    '127.0.0.1',
    '[::1]',
    'localhost',
    '10.0.0.1',
    '[fd00::1]',
    '169.254.169.254',
    '[fe80::1]',
    '0.0.0.0',
    '224.0.0.1',
  ],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::ffff:127.0.0.1]', '0x7f.1', '017700000001', '127.0.0.1.'],
];

describe('outbound security of a deployment', () => {
  const outbound = new Outbound();
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let trap: Awaited<ReturnType<Outbound['trap']>>;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    trap = await outbound.trap();
    const env = {
      ...{ OUTBOUND_ALLOW: `127.0.0.1:${new URL(target.url).port}`, NOTIFY_RETRY_SECONDS: '0' },
      ...{ ALERT_URL: `http://localhost:${trap.port}/alert`, RESCUE_INTERVAL_MS: '300' },
    };
    api = await startApi(stack, env);
    // As on a host of its own: this machine is no more to it than any other.
    worker = await startWorker(stack, { ...env, HOST: '0.0.0.0' });
  });
  afterAll(async () => {
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
    await outbound.close();
  });

  const create = async (fields: object) => {
    const { status, data } = await api.http.post('/tasks', taskBody({ target_url: `${target.url}/ok`, ...fields }));
    expect([status, data]).toMatchObject([201, {}]);
    return data.id as string;
  };
  const trigger = async (taskId: string, body: object = {}) =>
    (await api.http.post(`/tasks/${taskId}/runs`, body)).data.id as string;
  const runOf = async (id: string) => (await api.http.get(`/runs/${id}`)).data;
  const failed = (id: string) =>
    eventually(async () => {
      const run = await runOf(id);
      return run.status === 'FAILED' && run;
    }, `${id} has failed`);

  it('a target at an address that is not allowed fails its run, and is not dialled', async () => {
    const ids = await Promise.all(
      HOSTS.map(async (host) => trigger(await create({ target_url: `http://${host}:${trap.port}/` }))),
    );
    for (const id of ids) expect(await failed(id)).toMatchObject({ error_code: 'ADDRESS_BLOCKED' });
    expect(trap.touched()).toBe(false);
  });

  it('a notice to an address that is not allowed is not sent', async () => {
    const ids = await Promise.all(
      HOSTS.map(async (host) =>
        trigger(await create({ notify: { success: { url: `http://${host}:${trap.port}/` } } })),
      ),
    );
    for (const id of ids) {
      const delivery = await eventually(async () => {
        const [first] = (await runOf(id)).deliveries;
        return first?.status === 'FAILED' && first;
      }, 'it is given up');
      expect(delivery.last_error).toMatch(/^calls to .* are blocked/);
    }
    expect(trap.touched()).toBe(false);
  });

  it('an alert to an address that is not allowed is not sent', async () => {
    const taskId = await create({ target_url: `http://10.0.0.1:${trap.port}/` });
    await failed(await trigger(taskId));
    const error = await eventually(async () => {
      const { data } = await api.http.get('/deliveries', { params: { task_id: taskId } });
      return data.items[0]?.last_error as string | null;
    }, 'it was tried');
    expect(error).toBe('calls to localhost are blocked: it is a loopback address that OUTBOUND_ALLOW does not name');
    expect(trap.touched()).toBe(false);
  });

  it('a redirect fails the run and takes no credentials along', async () => {
    target.on('/moved', { redirect: `http://127.0.0.1:${trap.port}/?token=x` });
    const headers = { Authorization: 'Bearer x' };
    const id = await trigger(await create({ target_url: `${target.url}/moved`, headers_json: headers }));
    const info = `the target answered 302 to http://127.0.0.1:${trap.port}/; redirects are not followed`;
    expect(await failed(id)).toMatchObject({ error_code: 'REDIRECT', error_info: info });
    expect(trap.touched()).toBe(false);
  });

  it.each([
    ...[
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'Connection',
      'Keep-Alive',
      'Upgrade',
      'TE',
      'Trailer',
      'Expect',
    ],
    ...['Proxy-Authorization', 'Proxy-Connection', 'X-Punctual-Run-Id', 'a b', 'a\r\nHost'],
  ])('the header %j cannot be set by a task', async (name) => {
    const answer = await api.http.post('/tasks', taskBody({ headers_json: { [name]: 'x' } }));
    expect([answer.status, fieldsOf(answer)]).toEqual([422, [`headers_json.${name}`]]);
  });

  it.each(['a\r\nHost: evil', 'a\nb', 'a\rb', 'a\0b'])('the header value %j cannot be set by a task', async (value) => {
    const answer = await api.http.post('/tasks', taskBody({ headers_json: { 'X-A': value } }));
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['headers_json.X-A']]);
  });

  it.each([
    'http://user@127.0.0.1/',
    'http://127.0.0.1:80@example.org/',
    'http://{{payload.host}}/',
    'http://example.org\\@127.0.0.1/',
    'file:///etc/passwd',
  ])('the URL %s cannot be a target', async (target_url) => {
    const answer = await api.http.post('/tasks', taskBody({ target_url }));
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['target_url']]);
  });

  it('values of a payload stay in their place: in the URL, in a header, in a body', async () => {
    const evil = '../../admin?x=1#"\r\nX-Evil: 1\r\n\r\n","role":"admin<a b=\'';
    const fields = {
      target_url: `${target.url}/a/{{payload.v}}/b?q={{payload.v}}&r=1`,
      headers_json: { 'X-Value': '{{payload.v}}', 'Content-Type': 'application/json' },
      http_method: 'POST',
      body_template: '{"v":"{{payload.v}}","w":{{payload.v}}}',
    };
    const id = await trigger(await create(fields), { payload: { v: evil } });
    const [call] = (await target.waitFor((calls) => calls.some((one) => one.runId === id))).filter(
      (one) => one.runId === id,
    );
    const url = new URL(call.url, target.url);
    expect(url.pathname.split('/')).toEqual(['', 'a', encodeURIComponent(evil), 'b']);
    expect([...url.searchParams]).toEqual([
      ['q', evil],
      ['r', '1'],
    ]);
    expect(call.headers).not.toHaveProperty('x-evil');
    expect(call.headers['x-value']).toBe(evil.replace(/[\r\n]/g, ''));
    expect(JSON.parse(call.body)).toEqual({ v: evil, w: evil });
  });

  it('while HOST is loopback, loopback targets are allowed, and it is said at start', async () => {
    const lines: string[] = [];
    const config = configFor(stack, { HOST: '127.0.0.1', QUEUE_PREFIX: `${stack.queuePrefix}_local` });
    const log = createLogger({ logLevel: 'info', logFormat: 'json' }, 'worker', { write: (line) => lines.push(line) });
    const platform = openPlatform(config, log);
    await waitUntilReady(platform);
    const app = await NestFactory.createApplicationContext(ExecuteModule.of(platform), { logger: false });
    const local = new Worker(app, platform);
    local.start();
    const call = { method: 'GET', headers: {}, timeoutMs: 10_000 };
    const { port } = new URL(target.url);
    const client = app.get(TargetClient);
    expect(await client.call({ ...call, url: `http://localhost:${port}/` })).toMatchObject({ status: 200 });
    expect(await client.call({ ...call, url: 'http://10.0.0.1/' })).toMatchObject({ code: 'ADDRESS_BLOCKED' });
    expect(await client.call({ ...call, url: 'http://169.254.169.254/' })).toMatchObject({ code: 'ADDRESS_BLOCKED' });
    await local.stop();
    expect(lines.join('')).toContain('HOST is a loopback address: targets on this machine may be called');
  });
});
