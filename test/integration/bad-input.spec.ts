import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxiosResponse } from 'axios';
import { openStack, type Stack } from '#testing';
import { fieldsOf, type RunningApi, startApi, taskBody } from '../support/api.js';

describe('bad input', () => {
  let stack: Stack;
  let api: RunningApi;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack, { BODY_LIMIT: '200kb' });
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  afterEach(async () => expect(await api.platform.database.client.task.count()).toBe(0));

  const raw = (body: string | Buffer, type = 'application/json') =>
    api.http.post('/tasks', body, { headers: { 'content-type': type }, transformRequest: (data: unknown) => data });

  function expectProblem(answer: AxiosResponse, status: number): void {
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      'application/problem+json; charset=utf-8',
    ]);
    expect(answer.data).toMatchObject({
      type: expect.stringMatching(/^urn:punctual:problem:[a-z-]+$/),
      title: expect.any(String),
      status,
      detail: expect.any(String),
      trace_id: answer.headers['x-trace-id'],
    });
  }

  it.each([
    ['malformed JSON', '{"name": ', 400],
    ['a body that is not UTF-8', Buffer.from('{"name":"\xff\xfe"}', 'latin1'), 400],
    ['a prototype in the body', '{"name":"x","__proto__":{"admin":true}}', 422],
    ['a body that is a list', '[]', 422],
    ['a body that is a text', '"x"', 422],
    ['a body that is null', 'null', 422],
    ['an empty body', '', 422],
    ['nesting without end', `{"name":"x","tags":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 422],
  ])('%s', async (_title, body, status) => expectProblem(await raw(body), status));

  it.each([
    ['{"name":"x","__proto__":{"admin":true}}', '__proto__'],
    ['{"name":"x","toString":1}', 'toString'],
    ['{"name":"x","description":1234567890123456789}', 'description'],
    ['{"name":"x","tags":["a",1e999]}', 'tags[1]'],
  ])('%s names the field at fault', async (body, field) => expect(fieldsOf(await raw(body))).toContain(field));

  it.each([
    ['another charset', 'application/json; charset=iso-8859-1', {}],
    ['compressed', 'application/json', { 'content-encoding': 'gzip' }],
  ])('JSON that is %s is 415', async (_title, type, more) => {
    const headers = { 'content-type': type, ...more };
    expectProblem(await api.http.post('/tasks', taskBody(), { headers }), 415);
  });

  it('a body beyond the limit is 413', async () => {
    expectProblem(await raw(JSON.stringify(taskBody({ body_template: 'x'.repeat(300_000) }))), 413);
    expectProblem(await raw(Buffer.alloc(10_000_000, 32)), 413);
  });

  it('a client that writes its whole body before it reads is told of 413, too', async () => {
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    const answer = new Promise<string>((resolve, reject) => {
      let text = '';
      socket.on('data', (bytes) => (text += bytes.toString()));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    // Nothing is read until the last byte is out.
    socket.pause();
    const head = [
      'POST /api/v1/tasks HTTP/1.1',
      'host: 127.0.0.1',
      'content-type: application/json',
      'content-length: 8000000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.write(Buffer.alloc(8_000_000, 32), () => socket.resume());
    expect(await answer).toMatch(/^HTTP\/1\.1 413 [^]*urn:punctual:problem:too-large/);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x'])(
    'a body of %s is 415',
    async (type) => expectProblem(await raw('name=x', type), 415),
  );

  it('an unknown address, a method that is not there and an undecodable path are problems too', async () => {
    expectProblem(await api.http.get('/nothing'), 404);
    expectProblem(await api.http.get(`${api.url}/nothing`), 404);
    expectProblem(await api.http.delete('/tasks'), 404);
    expectProblem(await api.http.get('/tasks/%zz'), 400);
    expectProblem(await api.http.get(`/tasks/${'9'.repeat(300)}`), 414);
  });

  it('what is not HTTP at all gets a problem as well', async () => {
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
      socket
        .on('data', (chunk) => (text += String(chunk)))
        .on('close', () => resolve(text))
        .on('error', () => undefined);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
    expect(answer).toContain('urn:punctual:problem:malformed');
  });

  it('names every field at fault, nested ones by their path', async () => {
    const answer = await api.http.post('/tasks', {
      name: ' padded ',
      surprise: 1,
      id: '7',
      timeout_seconds: '10',
      tags: ['ok', 'x'.repeat(65)],
      notify: { success: { url: 5, extra: true }, security: [] },
      retry_policy_json: { strategy: 'sometimes', max_attempts: 1, retry_on: ['5xx', 'rain'] },
    });
    expectProblem(answer, 422);
    expect(fieldsOf(answer).sort()).toEqual(
      [
        'id',
        'name',
        'notify.security',
        'notify.success.extra',
        'notify.success.url',
        'retry_policy_json.max_attempts',
        'retry_policy_json.retry_on[1]',
        'retry_policy_json.strategy',
        'surprise',
        'tags[1]',
        'timeout_seconds',
      ].sort(),
    );
  });

  const cases: [field: string, value: unknown][] = [
    ['name', ''],
    ['name', 'x'.repeat(129)],
    ['name', 'a\u0000b'],
    ['name', 'a\nb'],
    ['name', null],
    ['name', 5],
    ['description', 'x'.repeat(513)],
    ['description', '\ud800'],
    ['cron_expr', '61 * * * *'],
    ['cron_expr', '* * *'],
    ['cron_expr', ''],
    ['cron_expr', '0 0 30 2 *'],
    ['cron_expr', 'CRON_TZ=Mars/Base * * * * *'],
    ['timezone', 'Mars/Base'],
    ['timezone', ''],
    ['executor', 'MAGIC'],
    ['exec_type', 'sync'],
    ['http_method', 'TRACE'],
    ['target_url', 'ftp://x.test/'],
    ['target_url', 'not a url'],
    ['target_url', 'http://user:pass@x.test/'],
    ['target_url', 'http://{{payload.host}}/'],
    ['target_url', `http://x.test/${'x'.repeat(2048)}`],
    ['target_url', null],
    ['headers_json', []],
    ['headers_json', 'no json'],
    ['headers_json', { a: 1 }],
    ['headers_json', '{"a":"\\u0000"}'],
    ['headers_json.Host', { Host: 'x' }],
    ['headers_json.X-A', { 'X-A': 'line\r\nbreak' }],
    ['headers_json.X-A', { 'X-A': '{{nothing}}' }],
    ['body_template', '{{unknown}}'],
    ['body_template', 'x'.repeat(65_537)],
    ['command', 'rm -rf /'],
    ['timeout_seconds', 0],
    ['timeout_seconds', 86_401],
    ['timeout_seconds', 1.5],
    ['timeout_seconds', true],
    ['max_concurrency', -1],
    ['max_concurrency', 1e12],
    ['queue_limit', -1],
    ['catch_up_limit', 10_001],
    ['jitter_seconds', 3601],
    ['priority', 10],
    ['callback_timeout_sec', 0],
    ['heartbeat_timeout_sec', 0],
    ['start_at', '2026-02-30T00:00:00Z'],
    ['start_at', '2026-01-01T00:00:00'],
    ['start_at', '2026-01-01'],
    ['start_at', 1_700_000_000],
    ['need_manual', 'yes'],
    ['tags', 'a'],
    ['tags', Array(21).fill('x')],
    ['tags', ['a', 'a']],
    ['tags[0]', ['']],
    ['category', ''],
    ['notify', 'x'],
    ['notify.error.url', { error: { method: 'POST' } }],
    ['notify.error.url', { error: { url: 'gopher://x' } }],
    ['notify.security.sk', { security: { type: 'aksk', ak: 'a' } }],
    ['retry_policy_json.max_attempts', { strategy: 'fixed', interval_seconds: 1 }],
    ['retry_policy_json.interval_seconds', { strategy: 'fixed', max_attempts: 2 }],
    ['retry_policy_json.sequence_seconds', { strategy: 'sequence', max_attempts: 2, sequence_seconds: [] }],
    ['retry_policy_json.sequence_seconds', { strategy: 'sequence', max_attempts: 2 }],
    ['retry_policy_json.jitter', { strategy: 'fixed', max_attempts: 2, interval_seconds: 1, jitter: 2 }],
    [
      'retry_policy_json.retry_on[1]',
      { strategy: 'fixed', max_attempts: 2, interval_seconds: 1, retry_on: [302, 299] },
    ],
    ['retry_policy_json.strategy', {}],
    ['retry_policy_json', '[]'],
  ];

  it.each(cases)('%s may not be %j', async (field, value) => {
    const answer = await api.http.post('/tasks', taskBody({ [field.split(/[.[]/)[0]]: value }));
    expectProblem(answer, 422);
    expect(fieldsOf(answer)).toEqual([field]);
  });

  it.each<[string, object, string[]]>([
    ['HTTP needs a target', { target_url: undefined }, ['target_url']],
    ['SHELL is refused', { executor: 'SHELL', command: 'ls' }, ['executor']],
    ['SHELL needs a command', { executor: 'SHELL' }, ['command', 'executor']],
    ['an AGENT is not ASYNC', { executor: 'AGENT', exec_type: 'ASYNC' }, ['exec_type']],
    ['ASYNC needs a callback timeout', { exec_type: 'ASYNC', callback_timeout_sec: null }, ['callback_timeout_sec']],
    ['the end is after the start', { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-01T00:00:00Z' }, ['end_at']],
  ])('%s', async (_title, fields, expected) => {
    const answer = await api.http.post('/tasks', taskBody(fields));
    expectProblem(answer, 422);
    expect(fieldsOf(answer)).toEqual(expected);
  });

  it.each([
    '/tasks/1/enable',
    '/tasks/1/disable',
    '/runs/1-1/replay',
    '/backfills/1/cancel',
    '/cluster/nodes/x/drain',
    '/cluster/nodes/x/undrain',
    '/deliveries/00000000-0000-4000-8000-000000000000/redeliver',
  ])('nothing can be said in the body of %s', async (path) => {
    const answer = await api.http.post(path, { payload: 1, version: 2 });
    expectProblem(answer, 422);
    expect(fieldsOf(answer)).toEqual(['payload', 'version']);
    const list = await api.http.post(path, []);
    expectProblem(list, 422);
    expect(fieldsOf(list)).toEqual(['body']);
    expect((await api.http.post(path, {})).status).toBe(404);
  });

  it('keys that every object has are unknown fields like others', async () => {
    const body = '"name":"x","target_url":"http://x.test/"';
    const fieldsOfRaw = async (more: string) => fieldsOf(await raw(`{${body},${more}}`));
    expect(await fieldsOfRaw('"constructor":1')).toEqual(['constructor']);
    expect(await fieldsOfRaw('"toString":null')).toEqual(['toString']);
    expect(await fieldsOfRaw('"notify":{"constructor":{}}')).toEqual(['notify.constructor']);
    expect(await fieldsOfRaw('"description":{"constructor":"x"}')).toEqual(['description']);
  });

  it('a bad cron expression names the field of it that is at fault', async () => {
    const answer = await api.http.post('/tasks', taskBody({ cron_expr: '61 * * * *' }));
    expect(answer.data.errors).toEqual([{ field: 'cron_expr', message: expect.stringMatching(/^minute: .*61/) }]);
  });

  it.each([
    ['/tasks?limit=0', 'limit'],
    ['/tasks?limit=201', 'limit'],
    ['/tasks?limit=ten', 'limit'],
    ['/tasks?limit=1&limit=2', 'limit'],
    ['/tasks?cursor=nonsense', 'cursor'],
    [`/tasks?cursor=${Buffer.from('run:1-1').toString('base64url')}`, 'cursor'],
    ['/tasks?status=MAYBE', 'status'],
    ['/tasks?name=%00', 'name'],
    ['/tasks?color=red', 'color'],
    ['/runs?task_id=x', 'task_id'],
    ['/runs?status=NEW', 'status'],
    ['/runs?from=yesterday', 'from'],
    ['/runs?cursor=%F0', 'cursor'],
  ])('%s names %s', async (path, field) => {
    const answer = await api.http.get(path);
    expectProblem(answer, 422);
    expect(fieldsOf(answer)).toEqual([field]);
  });
});
