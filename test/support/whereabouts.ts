import { Writable } from 'node:stream';
import { NestFactory } from '@nestjs/core';
import axios, { type AxiosInstance } from 'axios';
import { Redis } from 'ioredis';
import { createLogger } from '#config';
import { openPlatform, type Platform, waitUntilReady } from '#pipeline';
import type { Stack } from '#testing';
import { createApp } from '../../apps/api/src/create-app.js';
import { ExecuteModule } from '../../apps/worker/src/execute.module.js';
import { Worker } from '../../apps/worker/src/worker.js';
import { configFor } from './product.js';

/** An API and a worker of whose words nothing is lost: the log at its most talkative, and every answer. */
export interface OverheardProduct {
  http: AxiosInstance;
  platform: Platform;
  log: string[];
  answers: string[];
  stop(): Promise<void>;
}

export async function startOverheard(stack: Stack, env: Record<string, string> = {}): Promise<OverheardProduct> {
  const [log, answers]: string[][] = [[], []];
  const config = configFor(stack, { SCHEDULER: 'disabled', LOG_LEVEL: 'trace', LOG_FORMAT: 'json', ...env });
  const opened = async (): Promise<Platform> => {
    const write = (chunk: Buffer, _encoding: string, done: () => void) => (log.push(chunk.toString()), done());
    const platform = openPlatform(config, createLogger(config, 'test', new Writable({ write })));
    await waitUntilReady(platform);
    return platform;
  };
  const [platform, workers] = [await opened(), await opened()];
  const app = await createApp(config, { platform });
  await app.listen(0, '127.0.0.1');
  const context = await NestFactory.createApplicationContext(ExecuteModule.of(workers), { logger: false });
  const worker = new Worker(context, workers);
  worker.start();
  const http = axios.create({ baseURL: `${await app.getUrl()}/api/v1`, validateStatus: () => true });
  http.interceptors.response.use((answer) => {
    answers.push(JSON.stringify([answer.data, answer.headers]));
    return answer;
  });
  const stop = async () => {
    await worker.stop();
    await app.close();
  };
  return { http, platform, log, answers, stop };
}

/** Every row of every table, on the embedded stack the queue's own included. */
export async function databaseDump({ database: { client, dialect } }: Platform): Promise<string> {
  const [quote, where] =
    dialect === 'mysql'
      ? ['`', 'table_schema = DATABASE()']
      : ['"', "table_schema NOT IN ('pg_catalog', 'information_schema')"];
  const tables = await client.$queryRawUnsafe<{ s: string; t: string }[]>(
    `SELECT table_schema AS s, table_name AS t FROM information_schema.tables WHERE ${where}`,
  );
  const rows: unknown[] = [];
  for (const { s, t } of tables) {
    const name = `${quote}${s}${quote}.${quote}${t}${quote}`;
    const all = dialect === 'mysql' ? `SELECT * FROM ${name}` : `SELECT t::text AS row FROM ${name} t`;
    rows.push(await client.$queryRawUnsafe(all));
  }
  return JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** Everything the queue has in Redis; nothing where it is not there. */
export async function redisDump(stack: Stack): Promise<string> {
  if (stack.redisUrl === undefined) return '';
  const redis = new Redis(stack.redisUrl);
  const found: unknown[] = [];
  for (const key of await redis.keys(`${stack.queuePrefix}*`)) {
    const type = await redis.type(key);
    if (type === 'hash') found.push(key, await redis.hgetall(key));
    else if (type === 'string') found.push(key, await redis.get(key));
    else if (type === 'zset') found.push(key, await redis.zrange(key, '0', '-1'));
    else if (type === 'list') found.push(key, await redis.lrange(key, 0, -1));
    else if (type === 'set') found.push(key, await redis.smembers(key));
    else if (type === 'stream') found.push(key, await redis.xrange(key, '-', '+'));
  }
  redis.disconnect();
  return JSON.stringify(found);
}
