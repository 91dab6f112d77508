import { setTimeout as pause } from 'node:timers/promises';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';

const AWAY_MS = 3_000;

export const databaseKilled: Scenario = {
  row: 15,
  name: 'database kill -9 and restart',
  holds: 'I1 I2 I6',
  stacks: EVERYWHERE,
  core: ['postgres-redis'],
  seconds: 80,
  run: async (world) => {
    const server = await world.ownDatabase();
    await world.open({ databaseUrl: server.databaseUrl });
    const [api] = await Promise.all([world.api(), world.api(), world.worker()]);
    const storm = await Storm.begin(world, api, 25);
    await storm.rages();
    // Close to the second: that is when transactions are under way.
    await pause(1_000 - (Date.now() % 1_000) + world.random.between(0, 100));
    await server.crash();
    await pause(AWAY_MS);
    await server.restart();
    await storm.recovers(Date.now());
    await storm.end(api);
  },
};

export const databaseAwayAtBoot: Scenario = {
  row: 17,
  name: 'database away at boot',
  holds: 'waits, says so, I6',
  stacks: EVERYWHERE,
  core: ['mariadb-redis'],
  seconds: 25,
  run: async (world) => {
    const server = await world.ownDatabase();
    await server.crash();
    await world.open({ databaseUrl: server.databaseUrl });
    const fleet = await Promise.all([world.start('api'), world.start('worker')]);
    const { findings } = world;
    for (const one of fleet) {
      await world.until(() => one.output.includes('waiting for the database'), 'it says what it waits for');
      findings.expect((await one.status('/healthz')) === 200, 'it does not say that it lives');
      findings.expect((await one.status('/readyz')) === 503, 'it does not say that it is not ready');
    }
    findings.expect((await fleet[0].status('/api/v1/tasks')) === 503, 'it does not answer 503');
    await server.restart();
    const overAt = Date.now();
    await Promise.all(fleet.map((one) => one.ready()));
    const storm = await Storm.begin(world, fleet[0], 5);
    await storm.recovers(overAt);
    await storm.end(fleet[0]);
  },
};
