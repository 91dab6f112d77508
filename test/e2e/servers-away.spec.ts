import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, findRedis, freePort, startPostgres, startRedis } from '#testing';
import { FleetProcess } from './support/fleet.js';

const described = findRedis() ? describe : describe.skip;
if (!findRedis()) console.warn('servers-away: skipped, redis-server is not installed (apt-get install redis-server)');

described('servers that are away', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createTestDatabase(postgres.url());
  });

  afterAll(async () => {
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
