import type { Schedule } from '../schedule/index.js';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
/** More clock times than this are told by their fields. */
const MOST_TIMES = 4;

/** A schedule in English: `at 02:30:00, every day, in Europe/Berlin`. Reads the normalised spelling only. */
export function describeSchedule({ normalized, zone, every }: Schedule): string {
  if (every !== undefined) return every === 1 ? 'every second' : `every ${every} seconds`;
  const [second, minute, hour, dayOfMonth, month, weekday] = normalized.replace(/^CRON_TZ=\S+ /, '').split(' ');
  const times = clockTimes(second, minute, hour);
  const anyDay = dayOfMonth === '*' && weekday === '*';
  const parts = [
    times ?? intervals(second, minute, hour),
    anyDay ? (times === null ? '' : 'every day') : `on ${days(dayOfMonth, weekday)}`,
    month === '*' ? '' : `in ${names(month, (value) => MONTHS[value - 1])}`,
    `in ${zone}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function clockTimes(second: string, minute: string, hour: string): string | null {
  const hours = hour.split(',');
  const isPlain = [second, minute, ...hours].every((value) => /^\d+$/.test(value)) && hours.length <= MOST_TIMES;
  const two = (value: string) => value.padStart(2, '0');
  return isPlain ? `at ${joined(hours.map((value) => [value, minute, second].map(two).join(':')))}` : null;
}

/** From the finest unit that says something to the coarsest; what follows from the others is left out. */
function intervals(second: string, minute: string, hour: string): string {
  const parts: string[] = [];
  if (second !== '0') parts.push(unit(second, 'second'));
  if (minute !== '*' || parts.length === 0) parts.push(unit(minute, 'minute'));
  if (hour !== '*' || /^\d+(,\d+)*$/.test(minute)) parts.push(unit(hour, 'hour'));
  return parts.join(', ');
}

function unit(field: string, name: string): string {
  if (field === '*') return `every ${name}`;
  const [, start, step] = /^(\*|\d+-\d+)\/(\d+)$/.exec(field) ?? [];
  if (step === undefined) return `at ${name} ${names(field, String)}`;
  return `every ${step} ${name}s${start === '*' ? '' : ` from ${start.replace('-', ' to ')}`}`;
}

function days(dayOfMonth: string, weekday: string): string {
  const ofMonth = dayOfMonth === '*' ? [] : [joined(dayOfMonth.split(',').map(monthDay))];
  const ofWeek = weekday === '*' ? [] : [joined(weekday.split(',').map(weekDay))];
  return [...ofMonth, ...ofWeek].join(' or on ');
}

function monthDay(item: string): string {
  if (item === 'L') return 'the last day of the month';
  if (item === 'LW') return 'the last working day of the month';
  return item.endsWith('W') ? `the working day nearest to day ${item.slice(0, -1)}` : `day ${range(item, String)}`;
}

function weekDay(item: string): string {
  const day = DAYS[Number(item[0])];
  if (item.endsWith('L')) return `the last ${day} of the month`;
  if (item[1] === '#') return `the ${ORDINALS[Number(item[2])]} ${day} of the month`;
  return range(item, (value) => DAYS[value]);
}

const names = (field: string, name: (value: number) => string): string =>
  joined(field.split(',').map((item) => range(item, name)));

/** `1-5` is `Monday–Friday`, `1-31/2` is `1–31 in steps of 2`. */
function range(item: string, name: (value: number) => string): string {
  const [, first, last, step] = /^(\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(item) ?? [];
  if (first === undefined) return item;
  const span = last === undefined ? name(Number(first)) : `${name(Number(first))}–${name(Number(last))}`;
  return step === undefined ? span : `${span} in steps of ${step}`;
}

const joined = (items: string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
