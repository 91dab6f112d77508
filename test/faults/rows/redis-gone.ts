import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { askRedis } from '../support/ask-redis.js';
import { ON_REDIS, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';
import type { World } from '../support/world.js';

const AWAY_MS = 3_000;
/** Longer than the queue's own lock of 30 s. */
const FROZEN_MS = 40_000;
const PATIENCE_MS = 60_000;

export const redisKilled: Scenario = {
  row: 10,
  name: 'Redis kill -9 and restart without AOF',
  holds: 'I2 I6',
  stacks: ON_REDIS,
  core: ['mariadb-redis'],
  seconds: 60,
  run: (world) => killRedis(world, []),
};

export const redisKilledWithAof: Scenario = {
  ...redisKilled,
  name: 'Redis kill -9 and restart with AOF',
  core: undefined,
  run: (world) => killRedis(world, ['--appendonly', 'yes', '--appendfsync', 'everysec']),
};

async function killRedis(world: World, args: string[]): Promise<void> {
  const redis = await world.ownRedis(args);
  await world.open({ redisUrl: redis.url });
  world.target.on('/slow', () => ({ delayMs: 300 }));
  const [api] = await Promise.all([world.api(), world.worker(), world.worker()]);
  const storm = await Storm.begin(world, api, 20, { path: '/slow' });
  await storm.rages();
  await pause(world.random.between(0, 1_000));
  await redis.crash();
  await pause(AWAY_MS);
  await redis.restart();
  await storm.recovers(Date.now());
  await storm.end(api);
  // One line when it went, one when it came back: not a flood. A machine that stands still looks like a mute Redis.
  for (const line of [/Redis is away: due runs wait/g, /Redis is back/g]) {
    const said = api.output.match(line)?.length ?? 0;
    world.findings.expect(said >= 1 && said <= 5, `the API said ${said} times ${line.source}`);
  }
}

export const redisFrozen: Scenario = {
  row: 14,
  name: 'Redis frozen for 40 s, longer than the lock of active jobs',
  holds: 'I3',
  stacks: ON_REDIS,
  seconds: 100,
  run: async (world) => {
    const redis = await world.ownRedis();
    await world.open({ redisUrl: redis.url });
    // Dispatches stay active while their runs wait for one of few slots. All of those are for the one host there is: what has
    // piled up must be worked off within the time of recovery.
    const slots = { WORKER_CONCURRENCY: '4', TARGET_CONCURRENCY_PER_HOST: '4' };
    world.target.on('/slow', () => ({ delayMs: 250 }));
    const [api] = await Promise.all([world.api(), ...[1, 2].map(() => world.worker(slots))]);
    const storm = await Storm.begin(world, api, 12, { path: '/slow' });
    await storm.rages();
    await untilJobsAreActive(world, redis.url);
    process.kill(redis.pid, 'SIGSTOP');
    await pause(FROZEN_MS);
    process.kill(redis.pid, 'SIGCONT');
    await storm.recovers(Date.now());
    await storm.end(api);
  },
};

/**
 * Just after a second has begun, twelve runs want eight slots: the dispatches of those that wait are held, with a lock, by a worker. until a
 * slot is free.
 */
function untilJobsAreActive(world: World, redisUrl: string): Promise<unknown> {
  const key = `${world.queuePrefix}:runs:active`;
  const isSo = async (client: Redis) => Date.now() % 1_000 < 300 && (await client.llen(key)) > 0;
  return askRedis(redisUrl, async (client) => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(5)) if (await isSo(client)) return;
    throw new Error('no job was active: the scenario shows nothing');
  });
}
