import type { FleetProcess } from '../../e2e/support/fleet.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { checkAll, Storm } from '../support/storm.js';
import type { World } from '../support/world.js';

const GRACE_MS = 6_000;
const RETRIES = { retry_policy_json: { strategy: 'fixed', max_attempts: 3, interval_seconds: 1 } };

export const stoppedUnderLoad: Scenario = {
  row: 9,
  name: 'SIGTERM of a worker and of a scheduler under full load',
  holds: 'I2, exit within the grace time, nothing stalled',
  stacks: EVERYWHERE,
  core: ['embedded'],
  seconds: 45,
  run: async (world) => {
    await world.open();
    world.target
      .on('/slow', () => ({ delayMs: 300 }))
      .on('/endless', ({ attempt }) => (attempt === 1 ? { hang: true } : {}));
    // The usual lease: what is handed on must not look like what was taken over, on a machine that stands still now and then.
    // All calls go to one host, which may have every slot: the endless ones must not keep it from the others.
    const slots = {
      WORKER_CONCURRENCY: '4',
      TARGET_CONCURRENCY_PER_HOST: '4',
      SHUTDOWN_GRACE_MS: String(GRACE_MS),
      LEASE_SECONDS: '30',
    };
    const [api, leaving, first] = await Promise.all([world.api(slots), world.api(slots), world.worker(slots)]);
    const endless: string[] = [];
    while (endless.length < 2) endless.push(await world.trigger(api, RETRIES, '/endless'));
    await Promise.all(endless.map((id) => world.target.called(id)));
    const storm = await Storm.begin(world, api, 6, { path: '/slow' });
    await storm.rages();
    await world.worker(slots);
    const [worker, scheduler] = await Promise.all([leave(world, first), leave(world, leaving)]);
    const leftAt = Date.now();
    world.findings.notes.push(`worker and scheduler left after ${worker} and ${scheduler} ms on ${world.stack}`);
    // Without a lease or a lost dispatch to wait for: what it had was handed on, not left behind.
    await Promise.all(endless.map((id) => world.target.called(id, 2)));
    const handedOn = (Date.now() - leftAt) / 1000;
    world.findings.expect(handedOn < 20, `what was handed back was taken up after ${handedOn} s`);
    await storm.end(api);
    await checkAll(world);
    const lost = (await world.ledger.attempts()).filter(
      (one) => one.outcome === 'LOST' && !endless.includes(one.runId),
    );
    world.findings.expect(lost.length === 0, () => `calls that would have ended were broken off: ${lost[0].runId}`);
    const stalled = await startedLate(world);
    world.findings.expect(stalled.length === 0, () => `stalled: ${stalled.slice(0, 5).join(', ')}`);
  },
};

/** Gives how long it took to leave. */
async function leave(world: World, process: FleetProcess): Promise<number> {
  const since = performance.now();
  const code = await process.stop('SIGTERM');
  const took = Math.round(performance.now() - since);
  world.findings.expect(code === 0, `it ended with ${code}`);
  world.findings.expect(took < GRACE_MS + 2_000, `it took ${took} ms of ${GRACE_MS} to leave`);
  return took;
}

/** Runs that had to be found by rescue, 30 s after they were due, as those of a dispatch that got lost. */
async function startedLate({ ledger }: World): Promise<string[]> {
  const runs = await ledger.runs();
  return runs.filter((run) => run.startedAt !== null && run.startedAt - run.scheduled >= 30).map((run) => run.id);
}
