import { Child } from './support/child.js';
import { crowds, MANY } from './support/crowds.js';
import { DUE_PER_SECOND, type Filled } from './support/fill.js';
import type { DialectName, Lab } from './support/lab.js';
import { judge, median, percentile, print, say } from './support/report.js';

const WARM_UP = 20;
const TICKS = 60;

interface Memory {
  rss: number;
  heap: number;
}

/** A scheduler in a process of its own, beside another one with a thousandth of the tasks; both have 100 due in a second. */
export async function benchMillion(lab: Lab): Promise<void> {
  for (const dialect of lab.dialects) {
    const { few, many } = await crowds(lab, dialect);
    const { url: redisUrl } = await lab.redis();
    const small = await startScheduler(few, redisUrl);
    const large = await startScheduler(many, redisUrl);
    try {
      await compare(dialect, [small, few], [large, many]);
    } finally {
      await small.stop();
      await large.stop();
    }
  }
}

async function startScheduler({ url, tasks }: Filled, redisUrl: string): Promise<Child> {
  const prefix = `ticks-${tasks}-${new URL(url).pathname.slice(1)}`;
  const scheduler = Child.start('processes/scheduler.js', [url, redisUrl, prefix]);
  await scheduler.ready();
  return scheduler;
}

/** Second by second, in turns, so that whatever else the machine does meets both. */
async function compare(dialect: DialectName, small: [Child, Filled], large: [Child, Filled]): Promise<void> {
  const times = { small: [] as number[], large: [] as number[] };
  say(`${dialect}, ${WARM_UP + TICKS} ticks of each`);
  for (let i = 0; i < WARM_UP + TICKS; i++) {
    const turns = [
      { who: small, into: times.small },
      { who: large, into: times.large },
    ];
    for (const { who, into } of i % 2 === 0 ? turns : turns.reverse()) {
      const ms = await tick(...who, i);
      if (i >= WARM_UP) into.push(ms);
    }
  }
  const [few, many] = [await memoryOf(small[0]), await memoryOf(large[0])];
  report(dialect, times, few, many);
}

async function tick(scheduler: Child, { base, tasks }: Filled, index: number): Promise<number> {
  const { ms, runs } = await scheduler.ask<{ ms: number; runs: number }>({ at: base + index });
  if (runs !== DUE_PER_SECOND) throw new Error(`${runs} of ${tasks} tasks were due instead of ${DUE_PER_SECOND}`);
  return ms;
}

const memoryOf = (scheduler: Child) => scheduler.ask<Memory>({ memory: true });

function report(dialect: DialectName, times: { small: number[]; large: number[] }, few: Memory, many: Memory): void {
  const spread = (values: number[]) => `p90 ${percentile(values, 90).toFixed(1)} ms`;
  const memory = ({ rss, heap }: Memory) => `heap ${heap.toFixed(1)} MB, resident ${rss.toFixed(0)} MB`;
  const figures = [
    {
      name: '1,000 tasks',
      value: median(times.small),
      unit: 'ms a tick',
      note: `${spread(times.small)} · ${memory(few)}`,
    },
    {
      name: `${MANY.toLocaleString('en')} tasks`,
      value: median(times.large),
      unit: 'ms a tick',
      note: `${spread(times.large)} · ${memory(many)}`,
    },
  ];
  print(`A tick with ${DUE_PER_SECOND} due tasks on ${dialect}`, figures);
  judge('million', [
    { what: `time per tick on ${dialect}`, value: median(times.large) / median(times.small), unit: '×', atMost: 1.3 },
    { what: `resident memory more on ${dialect}`, value: many.rss - few.rss, unit: ' MB', atMost: 50 },
    { what: `heap more on ${dialect}`, value: many.heap - few.heap, unit: ' MB', atMost: 50 },
  ]);
}
