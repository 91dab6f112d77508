import { setTimeout as pause } from 'node:timers/promises';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import type { World } from '../support/world.js';

const TASKS = 20;
const COMMIT = { statement: /^COMMIT/, after: /INSERT INTO task_runs/ };

export const schedulerKilled: Scenario = {
  row: 1,
  name: 'kill -9 scheduler before its commit, after it and before the enqueue, and later',
  holds: 'I1 I2',
  stacks: EVERYWHERE,
  core: ['embedded'],
  seconds: 60,
  run: async (world) => {
    await world.open();
    const database = await world.proxy(world.ledger.url);
    await world.worker();
    let api = await world.api({}, { database });
    const storm = await Storm.begin(world, api, TASKS);
    await storm.rages();
    for (const dying of MOMENTS) {
      await dying(world, database);
      await api.killNow();
      api = await world.api({}, { database });
      await pause(world.random.between(500, 2_000));
    }
    await storm.end(api);
  },
};

/** Each resolves in the moment at which the scheduler is to die. */
const MOMENTS: ((world: World, database: TcpProxy) => Promise<unknown>)[] = [
  (_world, database) => database.stopAt({ ...COMMIT, side: 'request' }),
  (_world, database) => database.stopAt({ ...COMMIT, side: 'reply' }),
  async (world) => {
    const { size } = world.target;
    await world.until(() => world.target.size > size, 'the runs of the next second');
    await pause(world.random.between(0, 900));
  },
];
