import { Cron } from 'croner';
import { parseSchedule } from '../libs/domain/src/schedule/index.js';
import { collectGarbage } from './support/collect-garbage.js';
import { type Figure, judge, print } from './support/report.js';

const ZONES = ['UTC', 'America/New_York'];
const START = Date.parse('2026-01-01T00:00:00Z') / 1000;
const END = START + 20 * 365 * 86_400;
const NEXTS = 2_000_000;
const CRONER_NEXTS = 4_000;
const SCHEDULES = 100_000;
const PARSES = 300_000;

/** What people schedule: steps, office hours, nights, months, seconds, last days. */
const EXPRESSIONS = [
  '*/5 * * * *',
  '0 9 * * 1-5',
  '30 2 * * *',
  '0 0 1 * *',
  '*/10 * * * * *',
  '0 0 L * *',
  '15 14 1 */3 *',
  '0 12 * * 5#2',
];

/** Distinct texts, more than a day has seconds. */
const distinct = (index: number): string =>
  `${index % 60} ${Math.floor(index / 60) % 60} ${Math.floor(index / 3600) % 24} ${1 + Math.floor(index / 86_400)} * *`;

const perSecond = (count: number, begin: number): number => Math.round((count * 1000) / (performance.now() - begin));

/** Every expression walks on from its own last fire, over and over through twenty years. */
function walk(count: number, steps: readonly ((after: number) => number)[]): number {
  const at = steps.map(() => START);
  const begin = performance.now();
  for (let index = 0; index < count; index += 1) {
    const which = index % steps.length;
    const fire = steps[which](at[which]);
    at[which] = fire < END ? fire : START;
  }
  return perSecond(count, begin);
}

function nexts(zone: string): number {
  const steps = EXPRESSIONS.map((expr) => {
    const schedule = parseSchedule(expr, zone);
    return (after: number): number => schedule.next(after) ?? END;
  });
  walk(NEXTS / 10, steps);
  return walk(NEXTS, steps);
}

function cronerNexts(zone: string): number {
  const steps = EXPRESSIONS.map((expr) => {
    const cron = new Cron(expr, { timezone: zone });
    return (after: number): number => (cron.nextRun(new Date(after * 1000))?.getTime() ?? END * 1000) / 1000;
  });
  walk(CRONER_NEXTS / 10, steps);
  return walk(CRONER_NEXTS, steps);
}

function parses(): number {
  const texts = Array.from({ length: PARSES }, (_, index) => distinct(index));
  for (const text of texts.slice(0, PARSES / 10)) parseSchedule(text, 'Asia/Tokyo');
  const begin = performance.now();
  for (const text of texts) parseSchedule(text, 'Europe/Berlin');
  return perSecond(PARSES, begin);
}

/** Live heap after collecting everything else, the array's slots and the shared texts included; the zone is there before. */
function bytesPerSchedule(): number {
  parseSchedule('* * * * *', 'America/New_York').next(START);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const held = Array.from({ length: SCHEDULES }, (_, index) => parseSchedule(distinct(index), 'America/New_York'));
  collectGarbage();
  const bytes = (process.memoryUsage().heapUsed - before) / SCHEDULES;
  return held.every((schedule) => schedule.next(START) !== null) ? Math.round(bytes) : NaN;
}

/** The schedule module beside croner, in one process on one core. */
export function runSchedule(): Promise<void> {
  const memory = bytesPerSchedule();
  const rates = ZONES.map((zone) => ({ zone, ours: nexts(zone), theirs: cronerNexts(zone) }));
  const parsed = parses();
  const figures: Figure[] = [
    ...rates.flatMap(({ zone, ours, theirs }) => [
      { name: `next in ${zone}`, value: ours, unit: '1/s' },
      { name: `croner's next in ${zone}`, value: theirs, unit: '1/s' },
    ]),
    { name: 'parse', value: parsed, unit: '1/s' },
    { name: `memory of one in ${SCHEDULES.toLocaleString('en')}`, value: memory, unit: 'bytes' },
  ];
  print('Schedules', figures, { ratios: false });
  judge('schedule', [
    ...rates.flatMap(({ zone, ours, theirs }) => [
      { what: `next in ${zone}`, value: ours, unit: '/s', atLeast: 1_000_000 },
      { what: `next in ${zone} against croner`, value: ours / theirs, unit: '×', atLeast: 50 },
    ]),
    { what: 'parse', value: parsed, unit: '/s', atLeast: 100_000 },
    { what: 'memory of a schedule', value: memory, unit: ' bytes', atMost: 200 },
  ]);
  return Promise.resolve();
}
