import { setTimeout as pause } from 'node:timers/promises';
import { Child } from './support/child.js';
import { CpuMeter, sayCpu } from './support/cpu.js';
import { startApi, startWorker } from './support/deployment.js';
import type { Lab } from './support/lab.js';
import { type Figure, judge, median, percentile, print, say } from './support/report.js';
import type { Call, Target } from './support/target.js';
import { addTasks, removeAll, secondAfter } from './support/tasks.js';
import { Workbench } from './support/workbench.js';

const TASKS = 500;
const SECONDS = 20;
/** Not counted: everybody compiles and connects in the first seconds. */
const WARM_UP_SECONDS = 8;
/** How long after the last second calls are still waited for. */
const PATIENCE_MS = 5_000;
const CONCURRENCY = 50;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ALONE = process.env.BENCH_ONLY === 'Punctual';

interface Measured {
  name: string;
  p50: number;
  p99: number;
  missed: number;
  doubled: number;
  cpu?: string;
}

/**
 * Tasks due every second: how late after its due second each call reached the target, and whether each came once. Everybody in
 * turns, in changing order; the middle of each one's rounds counts, and what any of them missed.
 */
export async function benchLateness(lab: Lab): Promise<void> {
  const all = [latenessOfCroner, latenessOfSchedulers, latenessOfProduct];
  const contenders = ALONE ? [latenessOfProduct] : all;
  const rounds = new Map(contenders.map((one) => [one, [] as Measured[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const measured = await one(lab);
      rounds.get(one)?.push(measured);
      say(`round ${round + 1} of ${ROUNDS}: ${measured.name}, p50 ${ms(measured.p50)}, p99 ${ms(measured.p99)}`);
    }
  }
  const [croner, schedulers, ours] = all.map((one) => middle(rounds.get(one) ?? []));
  print(
    `Lateness at the target, ${TASKS} tasks every second for ${SECONDS} s`,
    (ALONE ? [ours] : [croner, ours, schedulers]).flatMap(figures),
  );
  if (ALONE) return;
  judge('lateness', [
    { what: 'seconds that Punctual missed', value: ours.missed, atMost: 0 },
    { what: 'seconds that Punctual called twice', value: ours.doubled, atMost: 0 },
    { what: 'p50 against croner timers', value: ours.p50 / croner.p50, unit: '×', atMost: 1.5 },
    { what: 'p99 against Job Schedulers', value: ours.p99 / schedulers.p99, unit: '×', atMost: 0.5 },
  ]);
}

const ms = (value: number) => `${Math.round(value)} ms`;

function middle(rounds: readonly Measured[]): Measured {
  const sum = (key: 'missed' | 'doubled') => rounds.reduce((all, one) => all + one[key], 0);
  return {
    ...rounds[0],
    p50: median(rounds.map((one) => one.p50)),
    p99: median(rounds.map((one) => one.p99)),
    missed: sum('missed'),
    doubled: sum('doubled'),
  };
}

async function latenessOfProduct(lab: Lab): Promise<Measured> {
  const [postgres, redis, target] = [await lab.server('PostgreSQL'), await lab.redis(), await lab.target()];
  const options = { databaseUrl: await postgres.newDatabase(), redisUrl: redis.url, queuePrefix: 'lateness' };
  const bench = await Workbench.open(options);
  const api = await startApi(options);
  const worker = await startWorker(options, CONCURRENCY);
  try {
    const pids = { scheduler: api.process.pid, worker: worker.pid, database: postgres.pid, redis: redis.pid };
    const meter = new CpuMeter({ ...pids, target: target.pid });
    const nextFireAt = secondAfter(bench.platform.clock.now(), 1_500);
    await addTasks(bench.database, { count: TASKS, targetUrl: target.url, cronExpr: '* * * * * *', nextFireAt });
    const measured = await watch('Punctual', target, nextFireAt.getTime());
    return { ...measured, cpu: sayCpu(meter.perRun(TASKS * (WARM_UP_SECONDS + SECONDS))) };
  } finally {
    await api.process.stop();
    await worker.stop();
    await removeAll(bench.database);
    await bench.close();
  }
}

async function latenessOfCroner(lab: Lab): Promise<Measured> {
  const target = await lab.target();
  const timers = Child.start('processes/croner-timers.js', [target.url, String(TASKS)]);
  await timers.ready();
  return watch('croner timers, no storage', target).finally(() => timers.stop());
}

async function latenessOfSchedulers(lab: Lab): Promise<Measured> {
  const [redis, target] = [await lab.redis(), await lab.target()];
  const args = [redis.url, target.url, String(TASKS), String(CONCURRENCY)];
  const schedulers = Child.start('processes/job-schedulers.js', args);
  await schedulers.ready();
  return watch("BullMQ's Job Schedulers", target).finally(() => schedulers.stop());
}

/** Counts the calls for the seconds after the warm-up, each of which should come once per task. */
async function watch(name: string, target: Target, firstMs = secondAfter(Date.now(), 0).getTime()): Promise<Measured> {
  const from = firstMs + WARM_UP_SECONDS * 1000;
  const to = from + SECONDS * 1000;
  await target.reset();
  say(`${name}, ${WARM_UP_SECONDS + SECONDS} s`);
  await pause(to - Date.now());
  const ofWindow = async () => (await target.calls()).filter(({ due }) => due >= from && due < to);
  let calls = await ofWindow();
  for (
    const end = Date.now() + PATIENCE_MS;
    Date.now() < end && calls.length < TASKS * SECONDS;
    calls = await ofWindow()
  ) {
    await pause(200);
  }
  const lateness = calls.map(({ at, due }) => at - due);
  return { name, p50: percentile(lateness, 50), p99: percentile(lateness, 99), ...countOnce(calls) };
}

/** Each task and second exactly once: ids are made of the two. */
function countOnce(calls: readonly Call[]): { missed: number; doubled: number } {
  const distinct = new Set(calls.map(({ id, due }) => `${due}/${id}`)).size;
  return { missed: TASKS * SECONDS - distinct, doubled: calls.length - distinct };
}

function figures({ name, p50, p99, missed, doubled, cpu }: Measured): Figure[] {
  const note = [missed || doubled ? `${missed} missed, ${doubled} doubled` : '', cpu ?? ''].filter(Boolean).join(' · ');
  return [
    { name: `${name}, p50`, value: p50, unit: 'ms late' },
    { name: `${name}, p99`, value: p99, unit: 'ms late', note },
  ];
}
