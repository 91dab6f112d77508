import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checkout } from '#testing';
import { checkNotEarly } from '../support/invariants.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { Storm } from '../support/storm.js';

const HOUR_MS = 3_600_000;
const RETRY_SECONDS = 2;
const shiftedBy = (ms: number) => ({
  NODE_OPTIONS: `--require=${path.join(checkout, 'test/faults/preload/shift-clock.cjs')}`,
  SHIFT_MS: String(ms),
});

export const wrongClock: Scenario = {
  row: 4,
  name: 'the host clocks of a scheduler and a worker jump an hour forward, of others an hour back',
  holds: 'I1, nothing early by the database’s time',
  stacks: EVERYWHERE,
  core: ['postgres-redis'],
  seconds: 50,
  run: async (world) => {
    await world.open();
    const ahead = shiftedBy(HOUR_MS);
    const behind = shiftedBy(-HOUR_MS);
    const [api, ...jumping] = await Promise.all([
      world.api(),
      world.api(ahead),
      world.api(behind),
      world.worker(ahead),
      world.worker(behind),
    ]);
    world.target.on('/fails-first', ({ attempt }) => (attempt === 1 ? { status: 500 } : {}));
    const storm = await Storm.begin(world, api, 20);
    const retried = await Storm.begin(world, api, 5, {
      path: '/fails-first',
      retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: RETRY_SECONDS },
    });
    await storm.rages();
    for (const { child } of jumping) child.kill('SIGUSR2');
    await storm.recovers(Date.now());
    await pause(5_000);
    await Storm.endAll([storm, retried], api);
    const { calls } = world.target;
    checkNotEarly(world.findings, calls);
    for (const second of calls.filter((call) => call.attempt === 2)) {
      const first = calls.find((call) => call.runId === second.runId && call.attempt === 1);
      const waited = second.startedAt - (first?.endedAt ?? 0);
      world.findings.expect(
        waited >= RETRY_SECONDS * 1000 - 50,
        `the second attempt of ${second.runId} came after ${waited} ms`,
      );
    }
  },
};
