import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import axios from 'axios';
import { createLogger } from '#config';
import { openPlatform, type Platform, waitUntilReady } from '#pipeline';
import { eventually, freePort, openStack, type Stack } from '#testing';
import { createApp } from '../../apps/api/src/create-app.js';
import { FrontDoor } from '../../apps/api/src/front-door.js';
import { HealthServer } from '../../apps/worker/src/health-server.js';
import { configFor } from '../support/product.js';

describe('the API before it is ready', () => {
  let stack: Stack;
  let platform: Platform;
  let door: FrontDoor;
  let url: string;

  beforeAll(async () => {
    stack = await openStack();
    const config = configFor(stack, { PORT: '0', SCHEDULER: 'disabled' });
    platform = openPlatform(config, createLogger(config, 'test'));
    door = new FrontDoor(platform);
    url = await door.listen();
  });

  afterAll(async () => {
    await stack?.close();
  });

  const get = (path: string) => axios.get(`${url}${path}`, { validateStatus: () => true });

  it('listens, is alive, is not ready, and says so to everybody else', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, data: { status: 'ok' } });
    expect(await get('/readyz')).toMatchObject({ status: 503, data: { status: 'not ready' } });
    const answer = await get('/api/v1/tasks');
    expect(answer.status).toBe(503);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringContaining('problem+json'),
      'retry-after': '5',
    });
    expect(answer.data).toMatchObject({ status: 503, trace_id: answer.headers['x-trace-id'] });
  });

  it('hands the same address over to the API, which answers what is under way before it stops', async () => {
    await waitUntilReady(platform);
    const app = await createApp(platform.config, { platform, door });
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    door.open();
    await eventually(async () => (await get('/readyz')).status === 200, 'it is ready');
    const received = once(app.getHttpServer(), 'request');
    const inFlight = get('/api/v1/tasks');
    await received;
    await app.close();
    expect((await inFlight).status).toBe(200);
    await expect(get('/healthz')).rejects.toThrow();
  });
});

describe('readiness while the database is broken', () => {
  it.each([
    ['the API', (platform: Platform) => new FrontDoor(platform)],
    ['a worker', (platform: Platform) => new HealthServer(platform)],
  ])('of %s is told in fixed words; the log has the rest, once', async (_, serverOf) => {
    const stack = await openStack();
    const port = await freePort();
    const databaseUrl = `${stack.databaseUrl.split(':')[0]}://hidden-user:hidden-word@127.0.0.1:${port}/hidden-name`;
    const config = configFor({ ...stack, databaseUrl }, { PORT: '0' });
    const log: object[] = [];
    const logger = createLogger({ logLevel: 'warn', logFormat: 'json' }, 'test', {
      write: (line) => log.push(JSON.parse(line) as object),
    });
    const platform = openPlatform(config, logger);
    const server = serverOf(platform);
    const url = await server.listen();
    try {
      for (let nth = 1; nth <= 3; nth++) {
        const { status, data } = await axios.get(`${url}/readyz`, { validateStatus: () => true });
        expect([status, Object.keys(data.checks)]).toEqual([503, ['database', 'queue']]);
        expect(data).toMatchObject({ status: 'not ready', checks: { database: { ok: false } } });
        expect(data.checks.database.error).toMatch(/^(not reachable|no answer in time)$/);
        expect(JSON.stringify(data)).not.toMatch(new RegExp(`hidden|127\\.0\\.0\\.1|${port}|ECONN`));
      }
      expect(log.filter((line) => JSON.stringify(line).includes('the database is away'))).toHaveLength(1);
    } finally {
      await server.close();
      await platform.close();
      await stack.close();
    }
  });
});
