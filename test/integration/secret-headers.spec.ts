import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { fieldsOf, startApi, taskBody } from '../support/api.js';
import { retentionOn } from '../support/old-runs.js';
import { startWorker } from '../support/product.js';
import { databaseDump, type OverheardProduct, redisDump, startOverheard } from '../support/whereabouts.js';

/** Told apart from anything else that may be lying about. */
const CANARY = 'canary-5e91c7';
const MASK = { secret: true };

interface TaskAnswer {
  id: string;
  name: string;
  target_url: string;
  headers_json: object;
}

interface RunAnswer {
  id: string;
  status: string;
  finished_at: string | null;
  trace_id: string;
  attempts: object[];
}

describe('headers that are secret', () => {
  let stack: Stack;
  let target: TargetStub;
  let collector: TargetStub;
  let product: OverheardProduct;

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    collector = (await TargetStub.start()).on('*', { body: {} });
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    product = await startOverheard(stack, { NOTIFY_RETRY_SECONDS: '0,3600' });
  });

  afterAll(async () => {
    await product?.stop();
    for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
    await collector?.close();
    await target?.close();
    await stack?.close();
  });

  const create = async (fields: object) => {
    const { status, data } = await product.http.post<TaskAnswer>('/tasks', taskBody(fields));
    expect([status, data]).toEqual([201, expect.anything()]);
    return data;
  };
  const finished = async (taskId: string) => {
    const { data } = await product.http.post<{ id: string }>(`/tasks/${taskId}/runs`, { payload: { a: 1 } });
    return eventually(async () => {
      const run = (await product.http.get<RunAnswer>(`/runs/${data.id}`)).data;
      return run.finished_at === null && run.status !== 'RETRYING' && run.status !== 'COMPLETED' ? undefined : run;
    }, 'the run was carried out');
  };
  /** What the collector of traces was sent, once it has the call of each of these runs. */
  const traces = (runs: RunAnswer[]) =>
    eventually(() => {
      const sent = collector.callsTo('/v1/traces').map(({ body }) => body);
      return Promise.resolve(runs.every(({ trace_id }) => sent.some((text) => text.includes(trace_id))) && sent.join());
    }, 'every run has been traced');
  const lastCall = (path: string) => target.callsTo(path).at(-1)!.headers;

  it('reach the target as they were written, and come back as a mask', async () => {
    target.on('/plain', { status: 200 });
    const { id, headers_json } = await create({
      target_url: `${target.url}/plain`,
      headers_json: { Authorization: 'Bearer abc', 'X-Own': { secret: 'run {{run_id}}' }, 'X-Seen': 'yes' },
    });
    expect(headers_json).toEqual({ Authorization: MASK, 'X-Own': MASK, 'X-Seen': 'yes' });
    const run = await finished(id);
    expect(lastCall('/plain')).toMatchObject({
      authorization: 'Bearer abc',
      'x-own': `run ${run.id}`,
      'x-seen': 'yes',
    });
    expect(run.attempts[0]).toMatchObject({
      request: { headers: { authorization: '[redacted]', 'x-own': '[redacted]', 'x-seen': 'yes' } },
    });
    const held = await create({ headers_json: '{"X-Own":{"secret":"abc"}}' });
    expect(held.headers_json).toEqual({ 'X-Own': MASK });
  });

  it('are kept when the mask is sent back, in a PUT and in a PATCH, and replaced when a value is', async () => {
    target.on('/kept', { status: 200 });
    const task = await create({
      target_url: `${target.url}/kept`,
      headers_json: { Authorization: 'first', 'X-Own': { secret: 'own' }, 'X-Seen': 'a' },
    });
    const { name, target_url, headers_json } = task;
    const { http } = product;
    expect((await http.put(`/tasks/${task.id}`, { name, target_url, headers_json })).status).toBe(200);
    await finished(task.id);
    expect(lastCall('/kept')).toMatchObject({ authorization: 'first', 'x-own': 'own' });

    await http.patch(`/tasks/${task.id}`, { description: 'left alone' });
    await http.patch(`/tasks/${task.id}`, { headers_json: { authorization: MASK, 'X-Own': { secret: 'next' } } });
    await finished(task.id);
    expect(lastCall('/kept')).toMatchObject({ authorization: 'first', 'x-own': 'next' });
    expect(lastCall('/kept')['x-seen']).toBeUndefined();
    const { data } = await http.patch(`/tasks/${task.id}`, { headers_json: { 'X-Own': 'open now' } });
    expect(data.headers_json).toEqual({ 'X-Own': 'open now' });
  });

  it('are not sent to another host by somebody who cannot read them', async () => {
    const { id } = await create({ headers_json: { 'X-Own': { secret: 'own' } } });
    const moved = { target_url: 'http://127.0.0.1:10/hook' };
    for (const change of [moved, { ...moved, headers_json: { 'X-Own': MASK } }]) {
      const refused = await product.http.patch(`/tasks/${id}`, change);
      expect([refused.status, fieldsOf(refused)]).toEqual([422, ['headers_json.X-Own']]);
    }
    const given = { ...moved, headers_json: { 'X-Own': { secret: 'own' } } };
    expect((await product.http.patch(`/tasks/${id}`, given)).status).toBe(200);
    expect((await product.http.patch(`/tasks/${id}`, { target_url: 'http://127.0.0.1:10/other' })).status).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ['a mask without anything behind it', MASK, 'headers_json.X-Own'],
    ['a secret that is no text', { secret: 5 }, 'headers_json'],
    ['what is stored', { sealed: 'v1.test.abc' }, 'headers_json'],
    ['more than a secret', { secret: 'x', sealed: 'y' }, 'headers_json'],
    ['a line break', { secret: 'a\nb' }, 'headers_json.X-Own'],
    ['an unknown variable', { secret: `{{${CANARY}}}` }, 'headers_json.X-Own'],
  ])('may not be %s', async (_title, value, field) => {
    const refused = await product.http.post('/tasks', taskBody({ headers_json: { 'X-Own': value } }));
    expect([refused.status, fieldsOf(refused)]).toEqual([422, [field]]);
    expect(JSON.stringify(refused.data)).not.toContain(CANARY);
  });

  it('are in no row, no archive, no job, no log line, no trace and no answer, whatever becomes of the run (canary)', async () => {
    const echo = ({ url, body, headers }: { url: string; body: string; headers: object }) => ({
      body: { url, body, headers },
      headers: { 'x-echo': JSON.stringify(headers) },
    });
    target.on('/echo', echo);
    target.on('/refuses', (call) => ({ ...echo(call), status: 500 }));
    target.on('/binary', ({ headers }) => ({
      body: Buffer.concat([Buffer.from([0, 255, 1]), Buffer.from(String(headers['x-own']))]),
    }));
    target.on('/told', { status: 503, body: 'not now' }).on('/heard', { status: 204 });
    const before = product.answers.length;
    const runs: RunAnswer[] = [];
    for (const path of ['/echo', '/refuses', '/binary', '/nothing-listens'])
      for (const log_mode of ['trans_log', 'trigger_log', 'none']) {
        const base = path === '/nothing-listens' ? 'http://127.0.0.1:9' : target.url;
        const { id } = await create({
          target_url: base + path,
          headers_json: {
            Authorization: `Bearer ${CANARY}-1`,
            'X-Api-Key': `${CANARY}-2 "quoted"`,
            'X-Own': { secret: `${CANARY}-3` },
          },
          notify: {
            success: { url: `${target.url}/heard` },
            error: { url: `${target.url}/told` },
            security: { type: 'aksk', ak: 'a', sk: `${CANARY}-4` },
          },
          log_mode,
        });
        runs.push(await finished(id));
        await product.http.get(`/tasks/${id}`);
        await product.http.patch(`/tasks/${id}`, {
          headers_json: { 'X-Own': { secret: `${CANARY}-5` }, Cookie: CANARY },
        });
      }
    await product.http.post('/tasks', taskBody({ headers_json: { 'X-Own': { secret: `${CANARY}\n` } } }));
    await eventually(() => Promise.resolve(target.callsTo('/told').length >= 6), 'the notices were sent');
    // Where the target answered 2xx, and the notice was acknowledged.
    const where = { id: { in: runs.map(({ id }) => id) } };
    const archived = await eventually(async () => {
      await retentionOn(product.platform, { archiveAfterMs: 0 }).runOnce();
      const found = await product.platform.database.client.runArchive.findMany({ where });
      return found.length === 6 && found;
    }, 'what succeeded is archived');
    for (const { id } of archived) await product.http.get(`/runs/${id}`);
    const lists = ['/tasks', '/runs', '/runs?archived=true', '/deliveries', '/stats', '/audit'];
    for (const path of lists) expect((await product.http.get(path)).status).toBe(200);

    expect(lastCall('/refuses')).toMatchObject({ 'x-api-key': `${CANARY}-2 "quoted"`, 'x-own': `${CANARY}-3` });
    const [rows, jobs, log] = [await databaseDump(product.platform), await redisDump(stack), product.log.join('')];
    const spans = await traces(runs);
    expect(rows).toContain('v1.test.');
    expect(log.length).toBeGreaterThan(1_000);
    if (stack.redisUrl !== undefined) expect(jobs).toContain('msg_');
    const answers = product.answers.slice(before).join('');
    expect(answers).toContain('[redacted]');
    for (const [where, text] of Object.entries({ rows, jobs, log, spans, answers })) {
      const encoded = Buffer.from(CANARY).toString('base64').slice(0, 12);
      expect({ where, found: text.includes(CANARY) || text.includes(encoded) }).toEqual({ where, found: false });
    }
  });

  it('fail a run at a worker without the key, which says so, and may be tried again', async () => {
    target.on('/keyless', { status: 200 });
    await product.stop();
    const api = await startApi(stack);
    const worker = await startWorker(stack, { SECRET_KEYS: `other:${Buffer.alloc(32, 9).toString('base64')}` });
    const task = await api.http.post('/tasks', taskBody({ headers_json: { 'X-Own': { secret: 'own' } } }));
    const { data } = await api.http.post(`/tasks/${task.data.id}/runs`);
    const run = await eventually(async () => {
      const { data: found } = await api.http.get(`/runs/${data.id}`);
      return found.status === 'FAILED' ? found : undefined;
    }, 'the run failed');
    expect(run).toMatchObject({
      error_code: 'SECRET_UNAVAILABLE',
      error_info: expect.stringMatching(/sealed with key "test", which SECRET_KEYS .* does not have/),
    });
    await worker.stop();
    await api.stop();
    product = await startOverheard(stack);
  });

  it('cannot be marked where there is nothing to encrypt them with; names that are secret by themselves stay masked', async () => {
    const api = await startApi(stack, { SECRET_KEYS: '' });
    const marked = await api.http.post('/tasks', taskBody({ headers_json: { 'X-Own': { secret: 'own' } } }));
    expect([marked.status, fieldsOf(marked)]).toEqual([422, ['headers_json.X-Own']]);
    expect(marked.data.detail).toContain('SECRET_KEYS');
    const named = await api.http.post('/tasks', taskBody({ headers_json: { Authorization: 'Bearer abc' } }));
    expect([named.status, named.data.headers_json]).toEqual([201, { Authorization: MASK }]);
    const { id, name, target_url, headers_json } = named.data;
    expect((await api.http.put(`/tasks/${id}`, { name, target_url, headers_json })).status).toBe(200);
    const row = await api.platform.database.client.task.findUniqueOrThrow({ where: { id: BigInt(id) } });
    expect(row.headersJson).toEqual({ Authorization: 'Bearer abc' });
    await api.stop();
  });
});
