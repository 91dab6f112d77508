import { setTimeout as pause } from 'node:timers/promises';
import { until } from './contenders/contender.js';
import { startApi, startWorker } from './support/deployment.js';
import type { Lab } from './support/lab.js';
import { judge, median, print, say } from './support/report.js';
import type { Target } from './support/target.js';
import { addTasks, removeAll, secondAfter, unfinished } from './support/tasks.js';
import { Workbench } from './support/workbench.js';

const TASKS = 10_000;
const ROUNDS = 3;
const CONCURRENCY = 50;
/** Long enough to set the second of all of them, even on a busy machine. */
const LEAD_MS = 6_000;

/** Milliseconds after the due second. */
interface Herd {
  admitted: number;
  firstCall: number;
  lastCall: number;
  closed: number;
  /** Tasks that were admitted so late that their second counted as missed. */
  missed: number;
}

/** Many tasks due in the same second, seen from outside: the product's own processes, its tables and the target. */
export async function benchHerd(lab: Lab): Promise<void> {
  for (const dialect of lab.dialects) {
    const [server, { url: redisUrl }] = [await lab.server(dialect), await lab.redis()];
    const options = { databaseUrl: await server.newDatabase(), redisUrl, queuePrefix: `herd-${dialect}` };
    const bench = await Workbench.open(options);
    const api = await startApi(options);
    const worker = await startWorker(options, CONCURRENCY);
    try {
      const rounds: Herd[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const herd = await runHerd(bench, await lab.target());
        say(
          `${dialect}, ${round === 0 ? 'warm-up' : `round ${round} of ${ROUNDS}`}: admitted in ${Math.round(herd.admitted)} ms`,
        );
        if (round > 0) rounds.push(herd);
      }
      report(dialect, rounds);
    } finally {
      await api.process.stop();
      await worker.stop();
      await bench.close();
    }
  }
}

async function runHerd({ database, platform }: Workbench, target: Target): Promise<Herd> {
  // Written far ahead, since writing them takes a while; then the second is set for all of them at once.
  const plan = { count: TASKS, targetUrl: target.url, cronExpr: '0 0 0 1 1 *' };
  await addTasks(database, { ...plan, nextFireAt: secondAfter(platform.clock.now(), 3_600_000) });
  const due = secondAfter(platform.clock.now(), LEAD_MS);
  await database.client.taskState.updateMany({ data: { nextFireAt: due } });
  await target.reset();
  const since = () => platform.clock.now() - due.getTime();
  await pause(-since());
  const isLeft = { where: { nextFireAt: { lte: due } }, select: { taskId: true } };
  await until(async () => (await database.client.taskState.findFirst(isLeft)) === null, 'every task is admitted');
  const admitted = since();
  const offset = platform.clock.now() - (performance.timeOrigin + performance.now());
  const toCall = await database.client.taskRun.count({ where: { skipReason: null } });
  say(`admitted ${toCall.toLocaleString('en')} after ${Math.round(admitted)} ms`);
  if (toCall === 0) throw new Error('every second was missed: the machine is too busy for a herd');
  const lastCall = (await target.called(toCall)) + offset - due.getTime();
  await until(async () => (await unfinished(database)) === 0, 'every run is closed');
  const closed = since();
  const firstCall = (await target.called(1)) + offset - due.getTime();
  await removeAll(database);
  return { admitted, firstCall, lastCall, closed, missed: TASKS - toCall };
}

function report(dialect: string, rounds: readonly Herd[]): void {
  const middle = (key: keyof Herd) => median(rounds.map((herd) => herd[key]));
  const rate = median(rounds.map(({ firstCall, closed, missed }) => ((TASKS - missed) * 1000) / (closed - firstCall)));
  print(
    `${TASKS.toLocaleString('en')} tasks due in the same second on ${dialect}`,
    [
      { name: 'first call at the target', value: middle('firstCall'), unit: 'ms after the second' },
      { name: 'last one admitted', value: middle('admitted'), unit: 'ms after the second' },
      { name: 'last call at the target', value: middle('lastCall'), unit: 'ms after the second' },
      { name: 'last one closed', value: middle('closed'), unit: 'ms after the second' },
      { name: 'from the first call to the last closed', value: rate, unit: 'runs/s' },
    ],
    { ratios: false },
  );
  judge('herd', [
    { what: `missed on ${dialect}, all rounds`, value: rounds.reduce((sum, { missed }) => sum + missed, 0), atMost: 0 },
    { what: `admitted on ${dialect}`, value: middle('admitted'), unit: ' ms', atMost: 1_000 },
    {
      ...{ what: `first call on ${dialect}, as a share of the time to the last admission`, atMost: 1 },
      value: median(rounds.map(({ firstCall, admitted }) => firstCall / admitted)),
    },
  ]);
}
