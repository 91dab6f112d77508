import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checkout, gate } from '#testing';
import type { FleetProcess } from '../../e2e/support/fleet.js';
import type { RunRow } from '../support/ledger.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { checkAll } from '../support/storm.js';
import type { World } from '../support/world.js';

const RETRIES = { retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 } };
const RUNS = 4;
const BLOCK_MS = 40_000;

export const workerFrozen: Scenario = {
  row: 7,
  name: 'SIGSTOP worker beyond its lease, with calls in flight, then CONT',
  holds: 'I3',
  stacks: EVERYWHERE,
  core: ['postgres-redis'],
  seconds: 25,
  run: (world) => silence(world, {}, { begin: (worker) => worker.child.kill('SIGSTOP'), end: wake }),
};

export const loopBlocked: Scenario = {
  row: 8,
  name: 'event loop of a worker blocked for 40 s, with calls in flight and the usual lease of 30 s',
  holds: 'I3',
  stacks: ['embedded', 'mariadb-redis'],
  seconds: 70,
  run: (world) =>
    silence(
      world,
      {
        NODE_OPTIONS: `--require=${path.join(checkout, 'test/faults/preload/block-loop.cjs')}`,
        BLOCK_MS: String(BLOCK_MS),
        LEASE_SECONDS: '30',
      },
      // It wakes up by itself.
      { begin: (worker) => worker.child.kill('SIGUSR2'), end: () => undefined },
    ),
};

const wake = (worker: FleetProcess) => worker.child.kill('SIGCONT');

interface Silence {
  begin: (worker: FleetProcess) => unknown;
  end: (worker: FleetProcess) => unknown;
}

/** A worker falls silent with calls in flight; they are answered meanwhile, and others have taken its runs when it comes back. */
async function silence(world: World, env: Record<string, string>, { begin, end }: Silence): Promise<void> {
  await world.open();
  const { target, ledger, findings } = world;
  const answered = gate();
  target.on('/slow', ({ attempt }) => (attempt === 1 ? { after: answered.opened } : { delayMs: 200 }));
  const api = await world.api();
  const silent = await world.worker(env);
  const ids: string[] = [];
  while (ids.length < RUNS) ids.push(await world.trigger(api, RETRIES, '/slow'));
  await Promise.all(ids.map((id) => target.called(id)));
  begin(silent);
  // A signal that blocks the loop is heard by that loop first.
  await pause(1_000);
  // Their answers wait in the sockets of a process that does not read.
  answered.open();
  const other = await world.worker(env);
  await Promise.all(ids.map((id) => target.called(id, 2)));
  await world.until(
    async () => (await all(world, ids)).every((run) => run.status === 'SUCCESS'),
    'others have done them',
  );
  const before = await all(world, ids);
  end(silent);
  await isBack(world, silent);
  // It has read its answers by now, and has tried to settle them.
  await pause(1_000);
  const after = await all(world, ids);
  findings.expect(
    JSON.stringify(after) === JSON.stringify(before),
    () => `I3: changed by a stale result: ${JSON.stringify(after)}`,
  );
  for (const run of after) findings.expect(run.attempt === 2, `I3: ${run.id} was decided by attempt ${run.attempt}`);
  const attempts = await ledger.attempts();
  findings.expect(attempts.length === 2 * RUNS, `I3: ${attempts.length} attempts were left, not ${2 * RUNS}`);
  // It takes part again.
  await other.killNow();
  const later = await world.trigger(api);
  await target.called(later);
  await checkAll(world);
}

const all = (world: World, ids: string[]): Promise<RunRow[]> => Promise.all(ids.map((id) => world.ledger.run(id)));

const isBack = (world: World, worker: FleetProcess) =>
  world.until(async () => (await worker.status('/readyz')) === 200, 'the silent worker answers again');
