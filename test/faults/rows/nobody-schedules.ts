import { setTimeout as pause } from 'node:timers/promises';
import type { FleetProcess } from '../../e2e/support/fleet.js';
import { checkAdmission, dueSeconds, isFinal } from '../support/invariants.js';
import type { RunRow } from '../support/ledger.js';
import { EVERYWHERE, type Scenario } from '../support/scenario.js';
import { checkAll, nowSecond } from '../support/storm.js';
import type { World } from '../support/world.js';

const AWAY_MS = 15_000;
const CAP = 4;
/** An hour of a task that is due every ten seconds. */
const HOUR = { seconds: 3_600, every: 10, cap: 100 };

export const nobodySchedules: Scenario = {
  row: 3,
  name: 'nothing scheduling for 15 s, and for an hour',
  holds: 'the exact count in each catch-up mode, capped',
  stacks: EVERYWHERE,
  core: ['embedded'],
  seconds: 60,
  run: async (world) => {
    await world.open();
    await world.worker();
    const first = await world.api();
    const modes = await createTasks(world, first);
    const from = nowSecond() + 2;
    await world.until(() => nowSecond() > from + 2, 'a few seconds');
    await first.killNow();
    // The last due second is long past when a scheduler is there again: how late that one comes changes no count.
    const last = nowSecond() + 10;
    await endAt(world, last);
    const hourAgo = await setBack(world, modes.hour);
    await pause(AWAY_MS);
    const api = await world.api();
    const states = () => world.ledger.states();
    await world.until(async () => (await states()).every(({ nextFireAt }) => nextFireAt === null), 'all is decided');
    await checkAll(world);
    const runs = await world.ledger.runs();
    const everySecond = [modes.none, modes.compact, modes.full, modes.capped].map((id) => ({ id, every: 1 }));
    checkAdmission(world.findings, everySecond, runs, { first: from, last });
    checkAdmission(world.findings, [{ id: modes.hour, every: HOUR.every }], runs, { first: hourAgo, last });
    checkCounts(world, modes, runs, last);
    await api.stop();
  },
};

type Modes = Record<'none' | 'compact' | 'full' | 'capped' | 'hour', string>;

async function createTasks(world: World, api: FleetProcess): Promise<Modes> {
  const create = (catch_up_mode: string, catch_up_limit: number, cron_expr = '* * * * * *') =>
    world.task(api, { cron_expr, catch_up_mode, catch_up_limit, max_concurrency: 0 });
  return {
    none: await create('NONE', 100),
    compact: await create('COMPACT', 100),
    full: await create('FULL', 100),
    capped: await create('FULL', CAP),
    hour: await create('FULL', HOUR.cap, `*/${HOUR.every} * * * * *`),
  };
}

const time = ({ isPostgres }: World, second: number) =>
  isPostgres ? `to_timestamp(${second}) AT TIME ZONE 'UTC'` : `FROM_UNIXTIME(${second})`;

const endAt = (world: World, last: number) => world.ledger.query(`UPDATE tasks SET end_at = ${time(world, last)}`);

/** As if the schedulers had gone an hour ago: its rows since then are taken away, too. Gives its first due second. */
async function setBack(world: World, taskId: string): Promise<number> {
  const { ledger, target } = world;
  const next = (await ledger.states()).find((state) => state.taskId === taskId)!.nextFireAt!;
  const to = next - HOUR.seconds;
  const runs = () => ledger.runs(`task_id = ${taskId}`);
  await world.until(async () => (await runs()).every(isFinal), 'its runs have ended');
  target.forget(new Set((await runs()).map(({ id }) => id)));
  await ledger.query(`UPDATE task_states SET next_fire_at = ${time(world, to)} WHERE task_id = ${taskId}`);
  for (const table of ['run_alarms', 'run_attempts']) {
    await ledger.query(`DELETE FROM ${table} WHERE run_id IN (SELECT id FROM task_runs WHERE task_id = ${taskId})`);
  }
  await ledger.query(`DELETE FROM task_runs WHERE task_id = ${taskId}`);
  return to;
}

function checkCounts({ findings }: World, modes: Modes, runs: readonly RunRow[], last: number): void {
  const of = (id: string) => runs.filter((run) => run.taskId === id);
  const caughtUp = (id: string) => of(id).filter((run) => run.trigger === 'CATCH_UP');
  const missed = (id: string) => of(id).filter((run) => run.skipReason === 'MISSED');
  const isHonest = (run: RunRow, every: number) =>
    run.missedCount === dueSeconds({ id: '', every }, run.missedFrom!, run.scheduled).length;
  const say = (id: string) => JSON.stringify(of(id).filter((run) => run.trigger === 'CATCH_UP' || run.missedFrom));

  const [gap, ...more] = missed(modes.none);
  findings.expect(gap !== undefined && more.length === 0, `NONE: not one row for the gap: ${say(modes.none)}`);
  findings.expect(gap !== undefined && isHonest(gap, 1), `NONE: its count is wrong: ${say(modes.none)}`);
  findings.expect(caughtUp(modes.none).length === 0, `NONE brought something back: ${say(modes.none)}`);
  const [compact, ...others] = caughtUp(modes.compact);
  findings.expect(compact !== undefined && others.length === 0, `COMPACT: not one run: ${say(modes.compact)}`);
  findings.expect(compact?.missedCount !== null && isHonest(compact, 1), `COMPACT: wrong count: ${say(modes.compact)}`);
  findings.expect(missed(modes.full).length === 0, `FULL: seconds were left out: ${say(modes.full)}`);
  const newest = Array.from({ length: CAP }, (_, i) => last - CAP + 1 + i);
  const brought = caughtUp(modes.capped).map((run) => run.scheduled);
  findings.expect(String(brought) === String(newest), `FULL ${CAP}: brought ${brought.join()}, not ${newest.join()}`);
  findings.expect(missed(modes.capped).length === 1, `FULL ${CAP}: not one row for the rest: ${say(modes.capped)}`);
  const { cap } = HOUR;
  findings.expect(caughtUp(modes.hour).length === cap, `FULL ${cap}: brought ${caughtUp(modes.hour).length}`);
  findings.expect(
    missed(modes.hour).every((run) => isHonest(run, HOUR.every)),
    `FULL ${cap}: ${say(modes.hour)}`,
  );
}
