import { setTimeout as pause } from 'node:timers/promises';
import { Child } from './support/child.js';
import { startApi, startWorker } from './support/deployment.js';
import type { Lab } from './support/lab.js';
import { judge, percentile, print, say } from './support/report.js';
import type { Target } from './support/target.js';
import { addTasks, removeAll, secondAfter } from './support/tasks.js';
import { Workbench } from './support/workbench.js';

const FAST = 100;
/** Of a host that never answers. With their timeout they would like four times the slots there are. */
const SLOW = 20;
const TIMEOUT_SECONDS = 10;
/** And so many of them wait already. */
const BACKLOG = 1_000;
const CONCURRENCY = 50;
const SECONDS = 20;
/** Not counted: processes compile, and the host that hangs takes the slots it is given. */
const WARM_UP_SECONDS = 5;
const PATIENCE_MS = 5_000;
const EVERY_SECOND = '* * * * * *';

interface Measured {
  p50: number;
  p99: number;
  missed: number;
}

/** Tasks due every second on a host that is fast, alone and then beside a host that hangs. */
export async function benchSlowHost(lab: Lab): Promise<void> {
  const [postgres, redis, target] = [await lab.server('PostgreSQL'), await lab.redis(), await lab.target()];
  const options = { databaseUrl: await postgres.newDatabase(), redisUrl: redis.url, queuePrefix: 'slow-host' };
  const bench = await Workbench.open(options);
  const api = await startApi(options);
  const worker = await startWorker(options, CONCURRENCY);
  const hanging = Child.start('processes/hanging-target.js');
  try {
    const { port } = await hanging.ready<{ port: number }>();
    await addEverySecond(bench, FAST, target.url);
    const alone = await watch('alone', bench, target);
    await hang(bench, `http://127.0.0.1:${port}/`);
    const beside = await watch('beside a host that hangs', bench, target);
    const { open } = await hanging.ask<{ open: number }>({});
    report(alone, beside, open);
  } finally {
    await api.process.stop();
    await Promise.all([worker.stop(), hanging.stop()]);
    await removeAll(bench.database);
    await bench.close();
  }
}

async function hang(bench: Workbench, targetUrl: string): Promise<void> {
  await addEverySecond(bench, SLOW, targetUrl);
  const tasks = await bench.database.client.task.findMany({ where: { targetUrl }, select: { id: true } });
  await bench.admit(Array.from({ length: BACKLOG }, (_, i) => tasks[i % tasks.length].id));
}

function addEverySecond({ database, platform }: Workbench, count: number, targetUrl: string): Promise<void> {
  const nextFireAt = secondAfter(platform.clock.now(), 1_500);
  const limits = { timeoutSeconds: TIMEOUT_SECONDS };
  return addTasks(database, { count, targetUrl, cronExpr: EVERY_SECOND, nextFireAt, ...limits });
}

async function watch(name: string, { platform }: Workbench, target: Target): Promise<Measured> {
  say(`${name}, ${WARM_UP_SECONDS + SECONDS} s`);
  const offset = platform.clock.now() - Date.now();
  const from = secondAfter(platform.clock.now(), WARM_UP_SECONDS * 1000).getTime();
  const to = from + SECONDS * 1000;
  await target.reset();
  await pause(to - platform.clock.now() + PATIENCE_MS);
  const calls = (await target.calls()).filter(({ due }) => due >= from && due < to);
  const lateness = calls.map(({ at, due }) => at + offset - due);
  return { p50: percentile(lateness, 50), p99: percentile(lateness, 99), missed: FAST * SECONDS - calls.length };
}

function report(alone: Measured, beside: Measured, open: number): void {
  const rows = [
    { name: 'alone', ...alone },
    { name: 'beside a host that hangs', ...beside },
  ];
  const note = `${open} of ${CONCURRENCY} slots were the host's that hangs`;
  for (const p of ['p50', 'p99'] as const) {
    print(
      `Lateness of ${FAST} tasks every second, ${p}`,
      rows.map((row) => ({ name: row.name, value: row[p], unit: 'ms late' })),
    );
  }
  console.log(`  (${note})`);
  judge('slow-host', [
    { what: 'calls of the others that were missed', value: alone.missed + beside.missed, atMost: 0 },
    { what: 'p50 of the others, beside a host that hangs', value: beside.p50 / alone.p50, unit: '×', atMost: 2 },
    { what: 'p99 of the others, beside a host that hangs', value: beside.p99 / alone.p99, unit: '×', atMost: 2 },
  ]);
}
