import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { createLogger, type ServerConfig } from '#config';
import { openPlatform, type Platform, waitUntilReady } from '#pipeline';
import { eventually, openStack, type Stack, TargetStub } from '#testing';
import axios, { type AxiosInstance } from 'axios';
import { createApp } from '../../apps/api/src/create-app.js';
import { ExecuteModule } from '../../apps/worker/src/execute.module.js';
import { Worker } from '../../apps/worker/src/worker.js';
import { fieldsOf, startApi, taskBody } from '../support/api.js';
import { isSignedWith } from '../support/notices.js';
import { configFor } from '../support/product.js';

/** Told apart from anything else that may be lying about. */
const CANARY = 'canary-7f3a91-the-secret-key';
const NEXT = 'canary-7f3a91-the-next-key';

describe('the secret key of a task', () => {
  let stack: Stack;
  let target: TargetStub;
  let platforms: Platform[];
  let http: AxiosInstance;
  let stop: () => Promise<void>;
  const log: string[] = [];
  const answers: string[] = [];

  const opened = async (config: ServerConfig): Promise<Platform> => {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        log.push(chunk.toString());
        done();
      },
    });
    const platform = openPlatform(config, createLogger(config, 'test', sink));
    await waitUntilReady(platform);
    return platform;
  };

  beforeAll(async () => {
    stack = await openStack();
    target = await TargetStub.start();
    const config = configFor(stack, {
      ...{ SCHEDULER: 'disabled', LOG_LEVEL: 'trace', LOG_FORMAT: 'json', NOTIFY_RETRY_SECONDS: '0,3600' },
    });
    platforms = [await opened(config), await opened(config)];
    const app = await createApp(config, { platform: platforms[0] });
    await app.listen(0, '127.0.0.1');
    const context = await NestFactory.createApplicationContext(ExecuteModule.of(platforms[1]), { logger: false });
    const worker = new Worker(context, platforms[1]);
    worker.start();
    http = axios.create({ baseURL: `${await app.getUrl()}/api/v1`, validateStatus: () => true });
    http.interceptors.response.use((answer) => {
      answers.push(JSON.stringify([answer.data, answer.headers]));
      return answer;
    });
    stop = async () => {
      await worker.stop();
      await app.close();
    };
  });

  afterAll(async () => {
    await stop?.();
    await target?.close();
    await stack?.close();
  });

  /** Every row of every table, the queue's own included. */
  const databaseDump = async (): Promise<string> => {
    const { client, dialect } = platforms[0].database;
    const where =
      dialect === 'mysql' ? 'table_schema = DATABASE()' : "table_schema NOT IN ('pg_catalog', 'information_schema')";
    const tables = await client.$queryRawUnsafe<{ s: string; t: string }[]>(
      `SELECT table_schema AS s, table_name AS t FROM information_schema.tables WHERE ${where}`,
    );
    const q = dialect === 'mysql' ? '`' : '"';
    const dumps = tables.map(({ s, t }) =>
      dialect === 'mysql'
        ? client.$queryRawUnsafe(`SELECT * FROM ${q}${s}${q}.${q}${t}${q}`)
        : client.$queryRawUnsafe(`SELECT x::text AS row FROM ${q}${s}${q}.${q}${t}${q} x`),
    );
    return JSON.stringify(await Promise.all(dumps), (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  };

  const redisDump = async (): Promise<string> => {
    if (stack.redisUrl === undefined) return '';
    const redis = new Redis(stack.redisUrl);
    const parts: string[] = [];
    for (const key of await redis.keys(`${stack.queuePrefix}*`)) {
      parts.push(key, (await redis.dumpBuffer(key))?.toString('latin1') ?? '');
    }
    redis.disconnect();
    return parts.join('\n');
  };

  it('signs, and is found in no row, job, log line or answer', async () => {
    target.on('/told', (_call, nth) => (nth === 1 ? { status: 500 } : {})).on('/away', { status: 503 });
    const security = (sk: string) => ({ type: 'aksk', ak: 'shop', sk });
    const notify = (path: string, sk: string) => ({
      success: { url: target.url + path },
      error: { url: target.url + path },
      security: security(sk),
    });
    const body = taskBody({ target_url: `${target.url}/work`, notify: notify('/told', CANARY) });
    const created = await http.post('/tasks', body, { headers: { 'idempotency-key': 'once' } });
    await http.post('/tasks', body, { headers: { 'idempotency-key': 'once' } });
    const { id } = created.data;
    await http.patch(`/tasks/${id}`, { notify: notify('/told', NEXT) });
    await http.patch(`/tasks/${id}`, { notify: { ...notify('/told', NEXT), error: { url: 'ftp://nowhere' } } });
    await http.post('/tasks', taskBody({ notify: { security: { type: 'nonsense', sk: CANARY } } }));
    const run = (await http.post(`/tasks/${id}/runs`)).data.id as string;
    await eventually(async () => (await http.get(`/runs/${run}`)).data.status === 'SUCCESS', 'it is told');
    const [call] = target.callsTo('/told');
    expect([CANARY, NEXT].map((sk) => isSignedWith(sk, call).own)).toEqual([true, true]);
    // One that waits in the queue for its next try, too.
    const other = await http.post(
      '/tasks',
      taskBody({ target_url: `${target.url}/work`, notify: notify('/away', CANARY) }),
    );
    const waiting = (await http.post(`/tasks/${other.data.id}/runs`)).data.id as string;
    await eventually(async () => {
      const [delivery] = (await http.get(`/runs/${waiting}`)).data.deliveries;
      return delivery?.attempts === 2 && delivery.last_status === 503;
    }, 'it waits for its third try');
    await http.get('/tasks');
    await http.get('/deliveries');

    const [rows, jobs] = [await databaseDump(), await redisDump()];
    expect(rows).toContain('v1.test.');
    expect(log.join('')).toContain(waiting);
    if (stack.redisUrl !== undefined) expect(jobs).toContain('msg_');
    for (const [where, text] of Object.entries({ rows, jobs, log: log.join(''), answers: answers.join('') })) {
      expect({ where, found: text.includes('canary-7f3a91') }).toEqual({ where, found: false });
    }
  });

  it('is refused where there is nothing to encrypt it with, and the answer says what to set', async () => {
    const api = await startApi(stack, { SECRET_KEYS: '' });
    const refused = await api.http.post(
      '/tasks',
      taskBody({ notify: { security: { type: 'aksk', ak: 'a', sk: 'b' } } }),
    );
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused)).toEqual(['notify.security.sk']);
    expect(refused.data.detail).toContain('SECRET_KEYS');
    await api.stop();
  });
});
