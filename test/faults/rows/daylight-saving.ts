import type { Scenario } from '../support/scenario.js';
import type { World } from '../support/world.js';

const seconds = (iso: string) => Date.parse(iso) / 1000;

/** Clocks in Berlin go from 02:00 to 03:00 at this moment, */
const GAP = seconds('2026-03-29T01:00:00Z');
/** and the hour from 02:00 to 03:00 begins twice: at this moment, and an hour later. */
const FOLD = seconds('2026-10-25T00:00:00Z');
const HOUR = 3_600;
/** Tasks are made that long before. */
const LEAD = 300;

/** Schedule, and when it fires from ten seconds before to five after; times as in docs and in Vixie's cron. */
const OVER_THE_GAP: Record<string, number[]> = {
  // Skipped wall-clock times fire at the first instant after the gap, several of them once.
  '0 30 2 * * *': [GAP],
  '0 0,15,30 2 * * *': [GAP],
  // A star in second, minute or hour: what was skipped does not fire.
  '0 * 2 * * *': [],
  '0 0 3 * * *': [GAP],
  '*/5 * * * * *': [GAP - 10, GAP - 5, GAP, GAP + 5],
};

/** The same from ten seconds before the repeated hour to its second end. */
const OVER_THE_FOLD: Record<string, number[]> = {
  // Each wall-clock time once, at its first occurrence.
  '0 30 2 * * *': [FOLD + 0.5 * HOUR],
  '0 0/30 2 * * *': [FOLD, FOLD + 0.5 * HOUR],
  '0 0 2,3 * * *': [FOLD, FOLD + 2 * HOUR],
  // With a star, every real instant that matches.
  '0 */30 2 * * *': [FOLD, FOLD + 0.5 * HOUR, FOLD + HOUR, FOLD + 1.5 * HOUR],
  '0 0 * * * *': [FOLD, FOLD + HOUR, FOLD + 2 * HOUR],
};

export const daylightSaving: Scenario = {
  row: 5,
  name: 'daylight-saving gap and fold, by the database’s clock',
  holds: 'the documented count',
  // Only PostgreSQL lets a function of ours stand in front of its clock.
  stacks: ['embedded', 'postgres-redis'],
  core: ['embedded'],
  seconds: 80,
  run: async (world) => {
    await world.open();
    await pass(world, OVER_THE_GAP, GAP - 10, GAP + 5);
    await pass(world, OVER_THE_FOLD, FOLD - 10, FOLD + 2);
    // Nobody was there for the rest of both hours: what was due in them is brought back.
    await live(world, FOLD + 2 * HOUR - 5, FOLD + 2 * HOUR);
    await check(world, OVER_THE_FOLD, FOLD - 10, FOLD + 2 * HOUR);
  },
};

/**
 * The product takes the time from its database. There, ours is found before the built-in one; processes measure it when they
 * start, so none may live while it jumps.
 */
async function setClock(world: World, to: number): Promise<void> {
  const { ledger } = world;
  await Promise.all(world.processes.splice(0).map((one) => one.stop('SIGKILL')));
  const distance = to - Date.now() / 1000;
  const name = new URL(ledger.url).pathname.slice(1);
  await ledger.query('CREATE SCHEMA IF NOT EXISTS shifted');
  await ledger.query(
    `CREATE OR REPLACE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
       AS $$ SELECT pg_catalog.clock_timestamp() + interval '${distance} seconds' $$`,
  );
  await ledger.query(`ALTER DATABASE ${name} SET search_path = public, shifted, pg_catalog`);
}

/** New tasks, made a few minutes before, and processes that live through the seconds around the change. */
async function pass(world: World, plan: Record<string, number[]>, from: number, to: number): Promise<void> {
  await setClock(world, from - LEAD);
  const api = await world.api({ SCHEDULER: 'disabled' });
  for (const cron_expr of Object.keys(plan)) {
    const rules = { catch_up_mode: 'FULL', timezone: 'Europe/Berlin', max_concurrency: 0 };
    await world.task(api, { name: nameOf(cron_expr, from), cron_expr, ...rules });
  }
  await live(world, from - 5, to);
  await check(world, plan, from, to);
}

/** Should the machine be slow to start them, they bring back what was due before. */
async function live(world: World, from: number, to: number): Promise<void> {
  await setClock(world, from);
  await Promise.all([world.api(), world.worker()]);
  await world.until(async () => (await world.ledger.now()) > to + 2, 'the change has passed');
}

async function check(world: World, plan: Record<string, number[]>, from: number, to: number): Promise<void> {
  for (const [expression, all] of Object.entries(plan)) {
    const expected = all.filter((second) => second >= from && second <= to);
    const [{ id }] = await world.ledger.query(`SELECT id FROM tasks WHERE name = '${nameOf(expression, from)}'`);
    const found = async () =>
      (await world.ledger.runs(`task_id = ${String(id)}`))
        .map((run) => run.scheduled)
        .filter((second) => second >= from && second <= to);
    const fits = async () => JSON.stringify(await found()) === JSON.stringify(expected);
    await world.until(fits, expression, 15_000).catch(() => undefined);
    world.findings.checked += expected.length;
    const text = `${expression} fired at ${JSON.stringify(await found())}, not at ${JSON.stringify(expected)}`;
    world.findings.expect(await fits(), text);
  }
}

const nameOf = (expression: string, from: number) => `${expression} ${from}`;
