import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pathToFileURL } from 'node:url';
import { Cron } from 'croner';
import { parseSchedule } from '../libs/domain/src/schedule/index.js';

/** The schedule module beside croner, in one process on one core. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
}

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
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  parseSchedule('* * * * *', 'America/New_York').next(START);
  collect();
  collect();
  const before = process.memoryUsage().heapUsed;
  const held = Array.from({ length: SCHEDULES }, (_, index) => parseSchedule(distinct(index), 'America/New_York'));
  collect();
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / SCHEDULES;
  return held.every((schedule) => schedule.next(START) !== null) ? Math.round(bytes) : NaN;
}

export function benchSchedule(): Promise<Figure[]> {
  const memory = bytesPerSchedule();
  const figures = ZONES.flatMap((zone) => {
    const ours = nexts(zone);
    const theirs = cronerNexts(zone);
    return [
      { name: `schedule: next in ${zone}`, value: ours, unit: '1/s' },
      { name: `schedule: croner's next in ${zone}`, value: theirs, unit: '1/s' },
      { name: `schedule: next in ${zone} against croner`, value: Math.round(ours / theirs), unit: '×' },
    ];
  });
  figures.push({ name: 'schedule: parse', value: parses(), unit: '1/s' });
  figures.push({ name: `schedule: memory of one in ${SCHEDULES}`, value: memory, unit: 'bytes' });
  return Promise.resolve(figures);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { name, value, unit } of await benchSchedule())
    console.log(`${name}: ${value.toLocaleString('en')} ${unit}`);
}
