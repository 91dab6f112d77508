import { loadavg } from 'node:os';
import { benchAgents } from './agents.bench.js';
import { benchCallbacks } from './callbacks.bench.js';
import { benchDrain } from './drain.bench.js';
import { benchHerd } from './herd.bench.js';
import { benchLateness } from './lateness.bench.js';
import { benchMillion } from './million.bench.js';
import { benchRetention } from './retention.bench.js';
import { benchRows } from './rows.bench.js';
import { runSchedule } from './schedule.bench.js';
import { benchSlowHost } from './slow-host.bench.js';
import { Lab } from './support/lab.js';
import { sumUp } from './support/report.js';

interface Suite {
  about: string;
  /** Can run without a database and a queue. */
  alone?: boolean;
  run(lab: Lab): Promise<void>;
}

const SUITES: Record<string, Suite> = {
  schedule: { about: 'next fires, parsing and memory of schedules, beside croner', alone: true, run: runSchedule },
  lateness: { about: '500 tasks every second, beside croner timers and Job Schedulers', run: benchLateness },
  herd: { about: '10,000 tasks due in the same second', run: benchHerd },
  drain: { about: '10,000 runs, beside seven other ways to have them made', run: benchDrain },
  agents: { about: '2,000 runs, claimed and completed by four agents', run: benchAgents },
  million: { about: 'ticks and memory of a scheduler with a million tasks', run: benchMillion },
  callbacks: { about: 'heartbeats and callbacks of 5,000 ASYNC runs', run: benchCallbacks },
  'slow-host': { about: '100 tasks every second, beside a host that hangs', run: benchSlowHost },
  rows: { about: 'the API with a million tasks', run: benchRows },
  retention: { about: 'lists of very many runs, and ticks while old runs are moved and deleted', run: benchRetention },
};

const help = () =>
  [
    'npm run bench [-- suite …]   all of them without a name; docs/bench.md says how to read it',
    ...Object.entries(SUITES).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`),
    'BENCH_PROFILE=folder leaves a CPU profile of every process there; BENCH_ROUNDS=1 and BENCH_ONLY=<part of a name>',
    'shorten drain, BENCH_MANY=20000 shortens million and rows, BENCH_MANY=1000 callbacks: for trying things out, not for figures.',
    'BENCH_RUNS=10000000 has retention measure with that many runs instead of 400,000.',
    'BENCH_DATABASE=MariaDB measures one of the databases alone.',
  ].join('\n');

async function main(args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg === '--help' || arg === '-h')) return console.log(help());
  const unknown = args.filter((name) => !(name in SUITES));
  if (unknown.length > 0) throw new Error(`no such suite: ${unknown.join(', ')}\n${help()}`);
  const lab = new Lab();
  try {
    for (const name of args.length > 0 ? args : Object.keys(SUITES)) await run(name, SUITES[name], lab);
  } finally {
    await lab.stop();
  }
  sumUp();
}

async function run(name: string, suite: Suite, lab: Lab): Promise<void> {
  const missing = suite.alone ? undefined : Lab.missing();
  if (missing) return console.log(`\n${name} was not measured: ${missing}`);
  console.log(`\n== ${name}: ${suite.about} (load ${loadavg()[0].toFixed(1)})`);
  await suite.run(lab);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
