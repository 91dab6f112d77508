import { setTimeout as pause } from 'node:timers/promises';
import { startApi, startWorker } from './support/deployment.js';
import { archivedFrom, fillRuns, liveFrom, OWNERS } from './support/fill-runs.js';
import type { DialectName, Lab } from './support/lab.js';
import { type AskedApi, type Question, timesOf } from './support/questions.js';
import { type Figure, type Goal, judge, percentile, print, say } from './support/report.js';
import { addTasks, secondAfter } from './support/tasks.js';
import { Workbench } from './support/workbench.js';

const FEW = 10_000;
/** 10,000,000 is what the target is about; fewer take minutes instead of an hour to write. */
const MANY = Number(process.env.BENCH_RUNS ?? 400_000);

const TICKING = 100;
const SECONDS = 20;
const WARM_UP_SECONDS = 5;
const PATIENCE_MS = 5_000;
const CONCURRENCY = 50;

const AGES = ['SUCCESS', 'MANUAL', 'FAILED', 'TIMEOUT', 'CANCELED', 'SKIPPED'];
const KEEP_ALL = Object.fromEntries([
  ['RETENTION_ARCHIVE_AFTER_HOURS', '0'],
  ...AGES.map((status) => [`RETENTION_${status}_DAYS`, '0']),
]) as Record<string, string>;
/** Moves and deletes: most of what is there is older than this. */
const KEEP_LITTLE = {
  ...{ RETENTION_INTERVAL_SECONDS: '1', RETENTION_ARCHIVE_AFTER_HOURS: '24' },
  ...{ RETENTION_FAILED_DAYS: '3', RETENTION_SKIPPED_DAYS: '3', RETENTION_SUCCESS_DAYS: '45' },
};

interface Installation {
  databaseUrl: string;
  redisUrl: string;
  queuePrefix: string;
  runs: number;
  /** Epoch seconds. */
  now: number;
}

/** Lists with many runs beside lists with few, and lateness of ticks with and without a retention that has much to do. */
export async function benchRetention(lab: Lab): Promise<void> {
  for (const dialect of lab.dialects) {
    say(`filling ${dialect} with ${MANY.toLocaleString('en')} runs`);
    const [few, many] = [await install(lab, dialect, FEW), await install(lab, dialect, MANY)];
    await compareLists(dialect, few, many);
    await compareLateness(lab, dialect, many);
  }
}

async function install(lab: Lab, dialect: DialectName, runs: number): Promise<Installation> {
  const [server, redis] = [await lab.server(dialect), await lab.redis()];
  const options = {
    databaseUrl: await server.newDatabase(),
    redisUrl: redis.url,
    queuePrefix: `kept-${dialect}-${runs}`,
  };
  const bench = await Workbench.open(options);
  await addTasks(bench.database, {
    ...{ count: OWNERS, targetUrl: 'http://127.0.0.1:9/', cronExpr: '0 0 1 1 *', nextFireAt: null },
  });
  await bench.close();
  const now = Math.floor(Date.now() / 1000);
  await fillRuns(options.databaseUrl, runs, now);
  return { ...options, runs, now };
}

/** Pages of the same length with few runs as with many: of a task there are five then, of a creator 25. */
const lists = (archived: boolean): Question[] => {
  const [where, flag] = archived ? [', archived', '&archived=true'] : ['', ''];
  const list = (name: string, filter: (i: number) => string, limit = 20): Question => ({
    ...{ name: `${name}${where}`, status: 200, path: (i) => `/runs?limit=${limit}${filter(i)}${flag}` },
  });
  const rare = archived ? 'MANUALLY_PROCESSED' : 'FAILED';
  return [
    list('list', () => ''),
    list('list of a task', (i) => `&task_id=${1 + ((i * 7) % 10)}`, 5),
    list('list of SUCCESS', () => '&status=SUCCESS'),
    list(`list of ${rare}`, () => `&status=${rare}`),
    list('list by category', () => '&category=team'),
    list('list by creator', () => '&creator=somebody'),
    list('list by trigger', () => '&trigger=API'),
  ];
};

const between = (name: string, from: number, days: number, archived: boolean): Question => {
  const time = (day: number) => new Date((from + day * 86_400) * 1000).toISOString();
  const path = (i: number) => `/runs?limit=20&from=${time(i % days)}&to=${time((i % days) + 1)}&archived=${archived}`;
  return { name, status: 200, path };
};

async function compareLists(dialect: DialectName, few: Installation, many: Installation): Promise<void> {
  const [small, large] = [await open(few), await open(many)];
  const questions = [
    ...lists(false),
    between('list of a day', liveFrom(many.now), 20, false),
    ...lists(true),
    between('list of a day, archived', archivedFrom(many.now), 30, true),
  ];
  try {
    say(`${dialect}, ${questions.length} lists`);
    await ask(dialect, questions, small.api, large.api);
  } finally {
    await small.stop();
    await large.stop();
  }
}

async function open(installation: Installation) {
  const env = { SCHEDULER: 'disabled' };
  const { process, url } = await startApi({ ...installation, env });
  return { api: { url: `${url}/api/v1`, size: installation.runs }, stop: () => process.stop() };
}

async function ask(dialect: DialectName, questions: Question[], small: AskedApi, large: AskedApi): Promise<void> {
  const figures: Figure[] = [];
  const goals: Goal[] = [];
  const [fewRuns, manyRuns] = [FEW.toLocaleString('en'), MANY.toLocaleString('en')];
  for (const question of questions) {
    const [few, many] = await timesOf(question, small, large);
    figures.push({ name: question.name, value: many, unit: 'ms', note: `${few.toFixed(2)} ms with ${fewRuns}` });
    const what = `${question.name} on ${dialect}, ${manyRuns} against ${fewRuns} runs`;
    goals.push({ what, value: many / few, unit: '×', atMost: 1.5 });
  }
  print(`Lists with ${manyRuns} runs on ${dialect}, median`, figures, { ratios: false });
  judge('retention', goals);
}

interface Lateness {
  p50: number;
  p99: number;
  missed: number;
  /** Runs that were moved or deleted meanwhile. */
  retired: number;
}

async function compareLateness(lab: Lab, dialect: DialectName, many: Installation): Promise<void> {
  const bench = await Workbench.open(many);
  const { url } = await lab.target();
  const nextFireAt = secondAfter(bench.platform.clock.now(), 1_500);
  await addTasks(bench.database, { count: TICKING, targetUrl: url, cronExpr: '* * * * * *', nextFireAt });
  const worker = await startWorker(many, CONCURRENCY);
  try {
    const without = await watch(lab, many, KEEP_ALL);
    const beside = await watch(lab, many, KEEP_LITTLE);
    report(dialect, without, beside);
  } finally {
    await worker.stop();
    await bench.close();
  }
}

/** A scheduler with these ages, for as long as is measured. */
async function watch(lab: Lab, many: Installation, env: Record<string, string>): Promise<Lateness> {
  const target = await lab.target();
  const api = await startApi({ ...many, env });
  try {
    say(
      `${TICKING} tasks every second for ${WARM_UP_SECONDS + SECONDS} s, archive after ${env.RETENTION_ARCHIVE_AFTER_HOURS} h`,
    );
    await pause(WARM_UP_SECONDS * 1000);
    const before = await retiredBy(api.url);
    await target.reset();
    const from = secondAfter(Date.now(), 0).getTime();
    const to = from + SECONDS * 1000;
    await pause(to - Date.now());
    const retired = (await retiredBy(api.url)) - before;
    await pause(PATIENCE_MS);
    const calls = (await target.calls()).filter(({ due }) => due >= from && due < to);
    const late = calls.map(({ at, due }) => at - due);
    const missed = TICKING * SECONDS - new Set(calls.map(({ id }) => id)).size;
    return { p50: percentile(late, 50), p99: percentile(late, 99), missed, retired };
  } finally {
    await api.process.stop();
  }
}

/** What the scheduler says it has moved and deleted: to count the rows would take longer than to measure. */
async function retiredBy(url: string): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  const counters = lines.filter((line) => /^punctual_(archived|deleted)_runs_total/.test(line));
  return counters.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function report(dialect: DialectName, without: Lateness, beside: Lateness): void {
  const note = ({ missed, retired }: Lateness) => `${missed} missed, ${retired} runs moved or deleted meanwhile`;
  const figures = [
    {
      name: 'without retention, p99',
      value: without.p99,
      unit: 'ms late',
      note: `p50 ${without.p50.toFixed(1)} · ${note(without)}`,
    },
    {
      name: 'beside a pass, p99',
      value: beside.p99,
      unit: 'ms late',
      note: `p50 ${beside.p50.toFixed(1)} · ${note(beside)}`,
    },
  ];
  print(`${TICKING} tasks every second with ${MANY.toLocaleString('en')} runs on ${dialect}`, figures);
  judge('retention', [
    { what: `tick lateness p99 beside a pass on ${dialect}`, value: beside.p99 / without.p99, unit: '×', atMost: 2 },
    { what: `runs moved or deleted meanwhile on ${dialect}`, value: beside.retired, atLeast: 1 },
    { what: `seconds missed beside a pass on ${dialect}`, value: beside.missed, atMost: 0 },
  ]);
}
