import { migrate } from '#database';
import { BareBullMq } from './contenders/bare-bullmq.js';
import { BareHistory } from './contenders/bare-history.js';
import { BareLoop } from './contenders/bare-loop.js';
import type { Contender } from './contenders/contender.js';
import { GraphileWorker } from './contenders/graphile-worker.js';
import { PgBossContender } from './contenders/pg-boss.js';
import { Punctual } from './contenders/punctual.js';
import { UsualWay } from './contenders/usual-way.js';
import { CpuMeter, sayCpu, type Watched } from './support/cpu.js';
import type { DialectName, Lab } from './support/lab.js';
import { type Goal, judge, median, print, say } from './support/report.js';
import type { Target } from './support/target.js';

const RUNS = 10_000;
/** Calls before the clock starts: every contender connects and is compiled first. The product, which has most to compile, is at its speed after these. */
const WARM_UP = 30_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONCURRENCY = 50;
/** Parts of contenders' names: for whoever looks into some of them. */
const ONLY = (process.env.BENCH_ONLY ?? '').split(',');

/** What one contender did in one round. */
interface Result {
  /** Calls per second with a full backlog. */
  drained: number;
  /** The same from the first item that was handed in. */
  handedIn: number;
  cpu: Watched;
}

/** 10,000 calls by the product and by everybody else, in turns and in changing order; the middle of each one's rounds counts. */
export async function benchDrain(lab: Lab): Promise<void> {
  for (const dialect of lab.dialects) await drainOn(lab, dialect);
}

async function drainOn(lab: Lab, dialect: DialectName): Promise<void> {
  const all = await openContenders(lab, dialect);
  const contenders = all.filter(({ name }) => ONLY.some((part) => name.includes(part)));
  const results = new Map<string, Result[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of inOrder(contenders, round)) {
      const result = await measure(contender, lab, dialect);
      results.get(contender.name)?.push(result);
      say(`${dialect}, round ${round + 1} of ${ROUNDS}: ${contender.name} drains ${Math.round(result.drained)}/s`);
    }
  }
  for (const contender of all) await contender.close();
  report(dialect, results);
}

/** Everyone comes first once, and nobody always follows the same neighbour. */
function inOrder<Item>(items: readonly Item[], round: number): Item[] {
  const turned = items.map((_, i) => items[(i + round * 3) % items.length]);
  return round % 2 === 0 ? turned : turned.reverse();
}

async function openContenders(lab: Lab, dialect: DialectName): Promise<Contender[]> {
  const [server, { url: redisUrl }, { url: targetUrl }] = [
    await lab.server(dialect),
    await lab.redis(),
    await lab.target(),
  ];
  const ours = { redisUrl, targetUrl, concurrency: CONCURRENCY };
  const withTables = async () => {
    const url = await server.newDatabase();
    await migrate(url);
    return url;
  };
  const graphile = (databaseUrl: string, history: boolean) =>
    GraphileWorker.open({ databaseUrl, targetUrl, concurrency: CONCURRENCY, history });
  const least = async () => {
    const options = { ...ours, databaseUrl: await withTables(), name: 'least', runsPerTask: 100 };
    return new BareHistory(await Punctual.open(options), options);
  };
  return [
    new BareLoop(targetUrl, CONCURRENCY),
    await Punctual.open({ ...ours, databaseUrl: await withTables(), name: 'Punctual', runsPerTask: 100 }),
    await Punctual.open({ ...ours, databaseUrl: await withTables(), name: 'Punctual, a task each', runsPerTask: 1 }),
    await least(),
    new BareBullMq(redisUrl, targetUrl, CONCURRENCY),
    new UsualWay(await withTables(), redisUrl, targetUrl, CONCURRENCY),
    ...(dialect === 'PostgreSQL'
      ? [
          await PgBossContender.open(await server.newDatabase(), targetUrl, CONCURRENCY),
          await graphile(await server.newDatabase(), false),
          await graphile(await withTables(), true),
        ]
      : []),
  ];
}

async function measure(contender: Contender, lab: Lab, dialect: DialectName): Promise<Result> {
  const target = await lab.target();
  const runs = contender.items ?? RUNS;
  const warmUp = contender.items === undefined ? WARM_UP : contender.items / 2;
  await contender.prepare?.(warmUp + runs);
  await (contender.fill ?? contender.handIn).call(contender, warmUp + runs);
  await target.reset();
  const worker = await contender.startWorker();
  try {
    const pids = { worker: worker.pid, database: (await lab.server(dialect)).pid };
    const others = { redis: (await lab.redis()).pid, target: target.pid };
    const began = await target.called(warmUp);
    const meter = new CpuMeter({ ...pids, ...others });
    const measured = warmUp + runs - (await target.count());
    const ended = await end(contender, target, warmUp + runs);
    const cpu = meter.perRun(measured);
    await contender.check?.();
    const handedIn = await handIn(contender, target, runs);
    await contender.check?.();
    return { drained: perSecond(runs, ended - began), cpu, handedIn };
  } finally {
    await worker.stop();
    await contender.clear();
  }
}

async function handIn(contender: Contender, target: Target, runs: number): Promise<number> {
  await contender.prepare?.(runs);
  await target.reset();
  const began = now();
  await contender.handIn(runs);
  return perSecond(runs, (await end(contender, target, runs)) - began);
}

/** When the last call was answered and, where that is kept, recorded. */
async function end(contender: Contender, target: Target, calls: number): Promise<number> {
  await target.called(calls);
  await contender.finished();
  return now();
}

const now = () => performance.timeOrigin + performance.now();
const perSecond = (count: number, ms: number) => (count * 1000) / ms;

function report(dialect: DialectName, results: ReadonlyMap<string, Result[]>): void {
  const middle = (name: string, value: (result: Result) => number) => median((results.get(name) ?? []).map(value));
  const drained = (name: string) => middle(name, (result) => result.drained);
  const rows = [...results].map(([name, rounds]) => ({
    ...{ name, value: drained(name), unit: 'runs/s' },
    note: `handed in and done ${Math.round(middle(name, (result) => result.handedIn)).toLocaleString('en')}/s · ${cpuOf(rounds)}`,
  }));
  print(`Draining a backlog of ${RUNS.toLocaleString('en')} on ${dialect}, ${CONCURRENCY} at a time`, rows);
  // Who was left out is nobody to be compared with.
  judge(
    'drain',
    goals(dialect, drained).filter(({ value }) => Number.isFinite(value)),
  );
}

function cpuOf(rounds: readonly Result[]): string {
  const names = Object.keys(rounds[0].cpu);
  return sayCpu(Object.fromEntries(names.map((name) => [name, median(rounds.map(({ cpu }) => cpu[name]))])));
}

function goals(dialect: DialectName, drained: (name: string) => number): Goal[] {
  const against = (name: string, atLeast: number) => ({
    ...{
      what: `Punctual on ${dialect} against ${name}`,
      value: drained('Punctual') / drained(name),
      unit: '×',
      atLeast,
    },
  });
  const everywhere = [
    against('bare HTTP loop', 0.5),
    against('bare BullMQ', 1.2),
    against('the usual way: BullMQ + Prisma', 8),
  ];
  if (dialect !== 'PostgreSQL') return everywhere;
  return [...everywhere, against('pg-boss, tuned', 1), against('graphile-worker + history', 1)];
}
