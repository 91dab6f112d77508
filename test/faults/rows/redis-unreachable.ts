import { setTimeout as pause } from 'node:timers/promises';
import { ON_REDIS, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';

const HOLE_MS = 60_000;

export const redisUnreachableBusy: Scenario = {
  row: 13,
  name: 'Redis connections reset, then black-holed for 60 s, busy',
  holds: 'I6',
  stacks: ON_REDIS,
  seconds: 90,
  run: async (world) => {
    await world.open();
    const redis = await world.proxy(world.redisUrl!);
    const [api] = await Promise.all([
      world.api({}, { redis }),
      world.worker({}, { redis }),
      world.worker({}, { redis }),
    ]);
    const storm = await Storm.begin(world, api, 5);
    await storm.rages();
    redis.cut();
    await storm.recovers(Date.now());
    redis.hold();
    await pause(HOLE_MS);
    redis.release();
    await storm.recovers(Date.now());
    await storm.end(api);
  },
};

export const redisUnreachableIdle: Scenario = {
  ...redisUnreachableBusy,
  name: 'Redis connections reset, then black-holed for 60 s and reset again, idle',
  seconds: 100,
  run: async (world) => {
    await world.open();
    const redis = await world.proxy(world.redisUrl!);
    const [api] = await Promise.all([world.api({}, { redis }), world.worker({}, { redis })]);
    redis.cut();
    await pause(world.random.between(0, 2_000));
    redis.hold();
    await pause(HOLE_MS);
    redis.release();
    if (world.random.next() < 0.5) redis.cut();
    const overAt = Date.now();
    const storm = await Storm.begin(world, api, 5);
    await storm.recovers(overAt);
    await storm.end(api);
  },
};
