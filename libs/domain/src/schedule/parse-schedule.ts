import { CronError, shown } from './cron-error.js';
import { CronSchedule } from './cron-schedule.js';
import { EverySchedule } from './every-schedule.js';
import { Flag } from './fields.js';
import { parseEvery } from './go-duration.js';
import { parseFields } from './parse-fields.js';
import { type Schedule } from './schedule.js';
import { ZoneClock } from './zone-clock.js';

const LONGEST_EXPRESSION = 1024;

const ZONE_PREFIXES = ['CRON_TZ=', 'TZ='];

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 *',
  '@annually': '0 0 0 1 1 *',
  '@monthly': '0 0 0 1 * *',
  '@weekly': '0 0 0 * * 0',
  '@daily': '0 0 0 * * *',
  '@midnight': '0 0 0 * * *',
  '@hourly': '0 0 * * * *',
};

const SHARED_PER_GENERATION = 4096;
let young = new Map<string, Schedule>();
let old = new Map<string, Schedule>();

/**
 * Throws CronError. The same text and zone give the same object as long as it is among the last few thousand used;
 * later an equal one.
 */
export function parseSchedule(expr: string, zone: string): Schedule {
  if (typeof expr !== 'string') throw new CronError('cron_expr', 'is not a text');
  if (typeof zone !== 'string') throw new CronError('timezone', 'is not a text');
  refuseLong(expr);
  const key = `${zone}\n${expr}`;
  return young.get(key) ?? share(key, old.get(key) ?? compile(expr, ZoneClock.of(zone)));
}

/** Two generations: when the young one is full it becomes the old one, and what was not used since is forgotten. */
function share(key: string, schedule: Schedule): Schedule {
  if (young.size >= SHARED_PER_GENERATION) {
    old = young;
    young = new Map();
  }
  young.set(key, schedule);
  return schedule;
}

function refuseLong(expr: string): void {
  if (expr.length <= LONGEST_EXPRESSION) return;
  throw new CronError('cron_expr', `${expr.length} characters; at most ${LONGEST_EXPRESSION} are allowed`);
}

function compile(expr: string, taskClock: ZoneClock): Schedule {
  const words = wordsOf(expr);
  const prefix = ZONE_PREFIXES.find((known) => words[0]?.startsWith(known));
  if (prefix === undefined) return compileWords(words, taskClock, 0);
  return compileWords(words.slice(1), ZoneClock.of(words[0].slice(prefix.length)), Flag.OWN_ZONE);
}

/** Space and tab separate, nothing else does. */
function wordsOf(expr: string): string[] {
  const words: string[] = [];
  let start = 0;
  for (let end = 0; end <= expr.length; end += 1) {
    if (end < expr.length && expr[end] !== ' ' && expr[end] !== '\t') continue;
    if (end > start) words.push(expr.slice(start, end));
    start = end + 1;
  }
  return words;
}

function compileWords(words: string[], clock: ZoneClock, zoneFlag: number): Schedule {
  if (words[0] === '@every' && words.length === 2) {
    return new EverySchedule(parseEvery(words[1]), clock.name, zoneFlag !== 0);
  }
  return new CronSchedule(parseFields(sixFields(words)), clock, zoneFlag);
}

function sixFields(words: string[]): string[] {
  if (words[0]?.startsWith('@')) return descriptor(words).split(' ');
  if (words.length === 6) return words;
  if (words.length === 5) return ['0', ...words];
  const count = words.length === 1 ? '1 field' : `${words.length} fields`;
  throw new CronError('cron_expr', `${count}; write minute hour day month weekday, or six with the second first`);
}

function descriptor(words: string[]): string {
  const known = words.length === 1 && Object.hasOwn(DESCRIPTORS, words[0]) ? DESCRIPTORS[words[0]] : undefined;
  if (known !== undefined) return known;
  const allowed = Object.keys(DESCRIPTORS).join(' ');
  throw new CronError('cron_expr', `${shown(words.join(' '))} is not one of ${allowed} or @every 5m`);
}
