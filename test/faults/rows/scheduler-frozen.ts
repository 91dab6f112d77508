import { setTimeout as pause } from 'node:timers/promises';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';

const TASKS = 30;
const FROZEN_MS = 20_000;

export const schedulerFrozen: Scenario = {
  row: 2,
  name: 'SIGSTOP of one of two schedulers for 20 s, in the middle of whatever it does',
  holds: 'I1',
  stacks: EVERYWHERE,
  seconds: 80,
  run: async (world) => {
    await world.open();
    const [api, frozen] = await Promise.all([world.api(), world.api(), world.worker()]);
    const storm = await Storm.begin(world, api, TASKS);
    await storm.rages();
    // Close to the second: that is when it holds rows.
    await pause(1_000 - (Date.now() % 1_000) + world.random.between(0, 60));
    frozen.child.kill('SIGSTOP');
    await pause(FROZEN_MS);
    frozen.child.kill('SIGCONT');
    await storm.recovers(Date.now());
    await storm.end(api);
  },
};
