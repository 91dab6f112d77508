/**
 * The second implementation, for comparison: slow, and meant to be obviously right. It asks Intl for the wall-clock time
 * of every minute (or second) and reads the expression anew each time. It shares no code with the real one.
 */

const NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const THREE_HOURS = 3 * 3600;

/** The wall-clock time of an instant as if the zone were UTC, straight from Intl. */
export function wallClock(zone: string): (second: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (second) => {
    const [month, day, year, hour, minute, sec] = format
      .format(second * 1000)
      .split(/[^0-9]+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, sec) / 1000;
  };
}

const number = (text: string): number => {
  const name = text.toUpperCase();
  if (NAMES.includes(name)) return NAMES.indexOf(name);
  return MONTHS.includes(name) ? MONTHS.indexOf(name) + 1 : Number(text);
};

function itemMatches(item: string, value: number, min: number, max: number): boolean {
  const [range, step = '1'] = item.split('/');
  const [from, to] = range.split('-');
  const first = range === '*' || range === '?' ? min : number(from);
  let last = item.includes('/') || range === '*' || range === '?' ? max : first;
  if (to !== undefined) last = to.toUpperCase() === 'SUN' && first > 0 ? 7 : number(to);
  return value >= first && value <= last && (value - first) % Number(step) === 0;
}

const fieldMatches = (text: string, value: number, min: number, max: number): boolean =>
  text.split(',').some((item) => itemMatches(item, value, min, max));

const isWorkday = (year: number, month: number, day: number): boolean =>
  ![0, 6].includes(new Date(Date.UTC(year, month, day)).getUTCDay());

function dateMatches(text: string, date: Date): boolean {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const workdays = Array.from({ length }, (_, index) => index + 1).filter((d) => isWorkday(year, month, d));
  return text.split(',').some((item) => {
    const upper = item.toUpperCase();
    if (upper === 'L') return day === length;
    if (upper === 'LW') return day === workdays.at(-1);
    if (!upper.endsWith('W')) return itemMatches(item, day, 1, 31);
    const wanted = Number(upper.slice(0, -1));
    const nearest = [...workdays].sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0];
    return wanted <= length && day === nearest;
  });
}

function weekdayMatches(text: string, date: Date): boolean {
  const day = date.getUTCDate();
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const weekday = date.getUTCDay();
  return text.split(',').some((item) => {
    const [name, place] = item.split('#');
    if (place !== undefined) return number(name) % 7 === weekday && Math.ceil(day / 7) === Number(place);
    if (/.L$/i.test(item)) return number(item.slice(0, -1)) % 7 === weekday && day > length - 7;
    return itemMatches(item, weekday, 0, 6) || (weekday === 0 && itemMatches(item, 7, 0, 6));
  });
}

const restricts = (text: string): boolean => !text.split(',').some((item) => /^[*?](\/0*1)?$/.test(item));

export function wallIsDue(fields: readonly string[], wall: number): boolean {
  const date = new Date(wall * 1000);
  if (!fieldMatches(fields[0], date.getUTCSeconds(), 0, 59)) return false;
  if (!fieldMatches(fields[1], date.getUTCMinutes(), 0, 59)) return false;
  if (!fieldMatches(fields[2], date.getUTCHours(), 0, 23)) return false;
  if (!fieldMatches(fields[4], date.getUTCMonth() + 1, 1, 12)) return false;
  const [byDate, byWeekday] = [restricts(fields[3]), restricts(fields[5])];
  if (byDate && byWeekday) return dateMatches(fields[3], date) || weekdayMatches(fields[5], date);
  return (!byDate || dateMatches(fields[3], date)) && (!byWeekday || weekdayMatches(fields[5], date));
}

function followsInstants(fields: readonly string[]): boolean {
  const whole = (text: string, size: number): boolean =>
    Array.from({ length: size }, (_, value) => value).every((value) => fieldMatches(text, value, 0, size - 1));
  return (
    /[*?]/.test(fields.slice(0, 3).join('')) || whole(fields[0], 60) || whole(fields[1], 60) || whole(fields[2], 24)
  );
}

/** The wall-clock times of a stretch, to be asked several expressions. */
export interface Walls {
  readonly from: number;
  readonly step: number;
  readonly at: readonly number[];
}

export function wallsOf(zone: string, from: number, to: number, step: number): Walls {
  const wall = wallClock(zone);
  const at: number[] = [];
  for (let second = from; second <= to; second += step) at.push(wall(second));
  return { from, step, at };
}

/** Every fire among these instants. `fields` are six; changes before the stretch are not known to it. */
export function slowFires(fields: readonly string[], walls: Walls): number[] {
  const follows = followsInstants(fields);
  const fires: number[] = [];
  let reached = -Infinity;
  walls.at.forEach((wall, index) => {
    const skippedFrom = index === 0 ? wall : Math.max(reached, walls.at[index - 1] + walls.step);
    let fire = wallIsDue(fields, wall) && (follows || wall >= reached);
    if (!follows && wall - skippedFrom <= THREE_HOURS) {
      for (let skipped = skippedFrom; skipped < wall; skipped += walls.step) fire ||= wallIsDue(fields, skipped);
    }
    if (fire) fires.push(walls.from + index * walls.step);
    reached = Math.max(reached, wall + walls.step);
  });
  return fires;
}
