import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { claimRuns, findCallback, takeOverdueRuns } from '#database';
import { CallbackTokens, Rescue } from '#pipeline';
import { pino } from 'pino';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import { type RunningApi, startApi } from '../support/api.js';
import { AsyncRuns } from '../support/async-runs.js';
import { type RunningWorker, startWorker } from '../support/product.js';

describe('callback tokens', () => {
  let stack: Stack;
  let api: RunningApi;
  let worker: RunningWorker;
  let target: TargetStub;
  let runs: AsyncRuns;
  const log: string[] = [];
  const LEVEL = process.env.LOG_LEVEL;

  beforeAll(async () => {
    process.env.LOG_LEVEL = 'trace';
    // The products of this test log into memory: everything, at the most talkative level.
    jest
      .spyOn(pino, 'destination')
      .mockImplementation(() => ({ write: (line: string) => void log.push(line) }) as never);
    stack = await openStack();
    target = await TargetStub.start();
    api = await startApi(stack, { LOG_FORMAT: 'json' });
    worker = await startWorker(stack, { LOG_FORMAT: 'json' });
    runs = new AsyncRuns(api, target);
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    if (LEVEL === undefined) delete process.env.LOG_LEVEL;
    else process.env.LOG_LEVEL = LEVEL;
    await worker?.stop();
    await api?.stop();
    await target?.close();
    await stack?.close();
  });

  /** Every row of every table there is: on the embedded stack the queue's as well. */
  const dump = async (): Promise<string> => {
    const { client, dialect } = api.platform.database;
    const named =
      dialect === 'mysql'
        ? 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = database()'
        : `SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
           WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`;
    const tables = await client.$queryRawUnsafe<{ name: string }[]>(named);
    expect(tables.length).toBeGreaterThan(8);
    const rows = [];
    for (const { name } of tables) {
      const all = dialect === 'mysql' ? `SELECT * FROM \`${name}\`` : `SELECT t::text AS row FROM ${name} t`;
      rows.push(await client.$queryRawUnsafe(all));
    }
    return JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  };

  const redisDump = async (): Promise<string> => {
    if (stack.redisUrl === undefined) return '';
    const { Redis } = await import('ioredis');
    const redis = new Redis(stack.redisUrl);
    const found: unknown[] = [];
    for (const key of await redis.keys(`${stack.queuePrefix}*`)) {
      const type = await redis.type(key);
      if (type === 'hash') found.push(key, await redis.hgetall(key));
      else if (type === 'string') found.push(key, await redis.get(key));
      else if (type === 'zset') found.push(key, await redis.zrange(key, '0', '-1'));
      else if (type === 'list') found.push(key, await redis.lrange(key, 0, -1));
      else if (type === 'stream') found.push(key, await redis.xrange(key, '-', '+'));
    }
    redis.disconnect();
    return JSON.stringify(found);
  };

  it('are in no row, no log line and no job, whatever templates and targets do with them', async () => {
    const echo = ({ url, body, headers }: { url: string; body: string; headers: object }) => ({
      status: 202,
      body: { url, body, headers },
      headers: { 'x-echo': JSON.stringify(headers), 'x-url': url },
    });
    target.on('/echo', echo);
    target.on('/refuse', (call) => ({ ...echo(call), status: 503 }));
    target.on('/redirect', (call) => ({ redirect: `${call.url}/to`, body: call.url }));
    target.on('/binary', ({ headers }) => ({
      status: 202,
      body: Buffer.concat([Buffer.from([0, 255, 1]), Buffer.from(String(headers['x-punctual-callback-token']))]),
    }));
    // Cut off in the middle of the token.
    target.on('/long', ({ headers }) => ({
      status: 202,
      body: 'x'.repeat(16_384 - 20) + String(headers['x-punctual-callback-token']),
    }));
    const said = {
      body_template: '{"token":"{{callback_token}}","url":"{{callback_url}}","all":{{payload}}}',
      headers_json: { 'x-plain': 'a {{callback_token}} b', authorization: 'Bearer {{callback_token}}' },
      retry_policy_json: { strategy: 'fixed', interval_seconds: 600, max_attempts: 2 },
      heartbeat_timeout_sec: 60,
    };
    const started = [];
    for (const path of ['echo', 'refuse', 'redirect', 'binary', 'long'])
      for (const log_mode of ['trans_log', 'trigger_log', 'none'])
        started.push(await runs.start({ ...said, log_mode, target_url: `${target.url}/${path}?t={{callback_token}}` }));
    const tokens = started.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(15);
    for (const one of started) {
      await eventually(
        async () => ['WAITING_CALLBACK', 'RETRYING', 'FAILED'].includes((await runs.read(one.runId)).status),
        `${one.runId} was answered`,
      );
      // What targets say of themselves may hold it, too.
      const leak = { text: `my token is ${one.token}`, [one.token]: 1 };
      await one.beat({ progress: leak });
      await one.say({ status: 'FAILURE', error_info: one.token, result: leak, retryable: false });
      await one.say({ status: 'FAILURE', error_info: `other ${one.token}` });
      await one.say({ status: 'SUCCESS', result: leak }, { token: `${one.token.slice(0, 42)}!` });
      await one.beat({ progress: leak });
    }
    const everything = [await dump(), await redisDump(), log.join('\n')];
    const shown = [];
    for (const { runId } of started) shown.push(JSON.stringify(await runs.read(runId)));
    expect(log.length).toBeGreaterThan(100);
    for (const token of tokens) {
      // A third of it would still be too much.
      const canaries = [
        token.slice(0, 14),
        token.slice(14, 28),
        token.slice(28),
        Buffer.from(token).toString('base64').slice(4, 40),
      ];
      for (const text of [...everything, ...shown])
        for (const canary of canaries) expect(text.includes(canary)).toBe(false);
    }
    expect(shown[0]).toContain('[redacted]');
  });

  it('survive their worker: one that dies between the commit and the call leaves a run that is tried again', async () => {
    const { database, clock } = api.platform;
    await worker.app.get(Rescue).runOnce();
    target.on('/second', { status: 202 });
    const retry_policy_json = { strategy: 'fixed', interval_seconds: 1, max_attempts: 2 };
    const taskId = await runs.create({ target_url: `${target.url}/second`, retry_policy_json });
    const start_time = new Date(clock.now() + 3_600_000).toISOString();
    const { data } = await api.http.post<{ id: string }>(`/tasks/${taskId}/runs`, { start_time });
    // Claimed by a worker that is gone right after it has committed the token.
    const past = new Date(clock.now() - 60_000);
    await database.client.coldRun.deleteMany({ where: { runId: data.id } });
    await database.client.taskRun.update({ where: { id: data.id }, data: { wakeAt: past } });
    await database.client.taskState.update({ where: { taskId: BigInt(taskId) }, data: { activeRuns: 1 } });
    const [claimed] = await claimRuns(database, [data.id], { node: 'gone', now: past.getTime(), leaseMs: 1_000 });
    const tokens = new CallbackTokens(database, { base: () => Promise.resolve(api.url) }, api.platform.log);
    const limits = { callbackTimeoutSec: 3600, heartbeatTimeoutSec: null };
    const callback = await tokens.issue(claimed, limits as never, past.getTime());
    expect((await findCallback(database, data.id))!.tokens).toHaveLength(1);
    expect(target.callsTo('/second')).toHaveLength(0);

    await database.client.runAlarm.create({ data: { at: past, runId: data.id } });
    await eventually(async () => {
      await worker.app.get(Rescue).runOnce();
      return target.callsTo('/second').length === 1;
    }, 'the second attempt calls');
    const again = await runs.called(data.id, 2);
    await runs.becomes(data.id, 'WAITING_CALLBACK');
    const stale = await again.say({ status: 'SUCCESS' }, { token: callback!.token });
    expect(stale).toMatchObject({ status: 202, data: { late: true } });
    expect((await again.say({ status: 'SUCCESS' })).data.status).toBe('SUCCESS');
    const run = await runs.read(data.id);
    expect(run.attempts).toMatchObject([{ outcome: 'LOST', error_code: 'NODE_LOST' }, { outcome: 'SUCCESS' }]);
    expect(await takeOverdueRuns(database, 0, 0, 1)).toMatchObject({ overdue: [] });
  });

  it('are given to nobody once the run is not ours any more', async () => {
    const { database, log: logger } = api.platform;
    target.on('/accepts', { status: 202 });
    const started = await runs.waiting({ target_url: `${target.url}/accepts` });
    await started.say({ status: 'SUCCESS' });
    const run = { ...(await runs.read(started.runId)), execId: 'other', tenantId: 'default', attempt: 9 };
    const limits = { callbackTimeoutSec: 60, heartbeatTimeoutSec: null };
    expect(
      await new CallbackTokens(database, { base: () => Promise.resolve(api.url) }, logger).issue(
        run as never,
        limits as never,
        0,
      ),
    ).toBeNull();
  });
});
