import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { startEmbeddedPostgres } from '#database';
import {
  createTestDatabase,
  eventually,
  findRedis,
  freePort,
  makeTempDir,
  removeDir,
  startPostgres,
  startRedis,
  TargetStub,
} from '#testing';
import { FleetProcess } from './support/fleet.js';

const described = findRedis() ? describe : describe.skip;
if (!findRedis()) console.warn('servers-away: skipped, redis-server is not installed (apt-get install redis-server)');

described('servers that are away', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let target: TargetStub;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createTestDatabase(postgres.url());
    target = await TargetStub.start();
  });

  afterAll(async () => {
    await target?.close();
    await postgres?.stop();
  });

  it('at start are waited for, with a line that says so, and the process becomes ready when they are there', async () => {
    const port = await freePort();
    const stack = { databaseUrl: database.url, redisUrl: `redis://127.0.0.1:${port}` };
    const api = await FleetProcess.start('api', stack);
    const worker = await FleetProcess.start('worker', stack);
    try {
      await eventually(async () => (await api.status('/healthz')) === 200, 'the API lives', 60_000);
      await eventually(
        () => Promise.resolve(/waiting for the queue/.test(api.output)),
        'it says what it waits for',
        60_000,
      );
      expect(await api.status('/readyz')).toBe(503);
      expect(await api.status('/api/v1/tasks')).toBe(503);
      const redis = await startRedis({ port });
      try {
        await Promise.all([api.ready(), worker.ready()]);
      } finally {
        await redis.stop();
      }
    } finally {
      await Promise.all([api.stop(), worker.stop()]);
    }
  }, 300_000);

  it('on the way are survived: due runs wait, and run when the queue is back', async () => {
    const redis = await startRedis();
    const stack = { databaseUrl: database.url, redisUrl: redis.url };
    const api = await FleetProcess.start('api', stack, { RESCUE_INTERVAL_MS: '500' });
    const worker = await FleetProcess.start('worker', stack, { RESCUE_INTERVAL_MS: '500' });
    await Promise.all([api.ready(), worker.ready()]);
    const { port } = redis;
    await redis.stop();
    await eventually(async () => (await api.status('/readyz')) === 503, 'the API says it is not ready');
    const task = await api.post<{ id: string }>('/tasks', { name: 'patient', target_url: target.url });
    const run = await api.post<{ id: string; status: string }>(`/tasks/${task.id}/runs`, {});
    expect(run.status).toBe('SCHEDULED');
    const back = await startRedis({ port });
    try {
      await Promise.all([api.ready(), worker.ready()]);
      const done = async () => (await api.get<{ status: string }>(`/runs/${run.id}`)).status === 'SUCCESS';
      await eventually(done, 'the run is done', 60_000);
      expect(target.calls.filter((call) => call.runId === run.id)).toHaveLength(1);
      // One line when it went, one when it came back: not a flood. A machine that stands still looks like a mute Redis.
      for (const line of [/Redis is away: due runs wait/g, /Redis is back/g]) {
        expect(api.output.match(line)!.length).toBeLessThanOrEqual(3);
      }
    } finally {
      await Promise.all([api.stop(), worker.stop()]);
      await back.stop();
    }
  }, 300_000);

  it('a database that is away at start is waited for, with a line that says so', async () => {
    const folder = makeTempDir('away');
    const own = { dataDir: path.join(folder, 'postgres'), port: await freePort() };
    const first = await startEmbeddedPostgres(own);
    const databaseUrl = first.url('postgres');
    await first.stop();
    const api = await FleetProcess.start('api', { databaseUrl });
    try {
      await eventually(
        () => Promise.resolve(/waiting for the database/.test(api.output)),
        'it says what it waits for',
        60_000,
      );
      expect(await api.status('/healthz')).toBe(200);
      expect(await api.status('/readyz')).toBe(503);
      const back = await startEmbeddedPostgres(own);
      try {
        await api.ready();
      } finally {
        await api.stop();
        await back.stop();
      }
    } finally {
      await api.stop();
      removeDir(folder);
      removeDir(path.dirname(first.dataDir));
    }
  }, 300_000);

  it('a Redis that would evict queued work ends the start with what to change', async () => {
    const redis = await startRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
    try {
      const api = await FleetProcess.start('api', { databaseUrl: database.url, redisUrl: redis.url });
      expect(await api.ended).toBe(1);
      expect(api.output).toMatch(
        /could not start: Redis evicts keys .*allkeys-lru.*CONFIG SET maxmemory-policy noeviction/,
      );
    } finally {
      await redis.stop();
    }
  });

  it('a database that refuses us ends the start with one line that says why', async () => {
    const url = new URL(database.url);
    url.password = 'wrong';
    const api = await FleetProcess.start('api', { databaseUrl: url.href });
    expect(await api.ended).toBe(1);
    expect(api.output).toMatch(/could not start: .*password authentication failed/);
  });
});
