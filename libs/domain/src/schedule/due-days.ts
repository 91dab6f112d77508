import { highestBit, lowestBit } from './bits.js';
import { DAY, EARLIEST, firstDayOf, LATEST, lengthOf, monthOf, monthOfYear, weekdayOf } from './calendar.js';
import { ALL_MONTHS, ANY_DAY, type Fields, Flag, LAST_PLACE, type SpecialDays, weekdaysAt } from './fields.js';

const SATURDAY = 6;
const SUNDAY = 0;
const FIRST_MONTH = monthOf(Math.floor(EARLIEST / DAY)) - 1;
const LAST_MONTH = monthOf(Math.floor(LATEST / DAY)) + 1;

export const isEveryDay = (fields: Fields): boolean =>
  (fields.flags & ANY_DAY) === ANY_DAY && fields.month === ALL_MONTHS;

/** The days of a month that are due, bit 0 being the 1st. */
export function dueDaysOf(fields: Fields, month: number): number {
  if (((fields.month >> monthOfYear(month)) & 1) === 0) return 0;
  const length = lengthOf(month);
  const all = length === 31 ? 0x7fffffff : (1 << length) - 1;
  return all & datesAndWeekdays(fields, firstDayOf(month), length);
}

/** Either field suffices if both restrict the day. */
function datesAndWeekdays(fields: Fields, firstDay: number, length: number): number {
  const { flags } = fields;
  if ((flags & ANY_DAY) === ANY_DAY) return -1;
  const dates = flags & Flag.ANY_DAY_OF_MONTH ? 0 : datesOf(fields, firstDay, length);
  return flags & Flag.ANY_WEEKDAY ? dates : dates | weekdaysOf(fields, weekdayOf(firstDay), length);
}

function datesOf(fields: Fields, firstDay: number, length: number): number {
  const { special, flags } = fields;
  let dates = fields.dayOfMonth;
  if (flags & Flag.LAST_DAY) dates |= 1 << (length - 1);
  if (flags & Flag.LAST_WORKDAY) dates |= 1 << lastWorkday(firstDay, length);
  if (special !== undefined && special.nearest !== 0) dates |= nearestWorkdays(special.nearest, firstDay, length);
  return dates;
}

function lastWorkday(firstDay: number, length: number): number {
  const weekday = weekdayOf(firstDay + length - 1);
  if (weekday === SATURDAY) return length - 2;
  return weekday === SUNDAY ? length - 3 : length - 1;
}

function nearestWorkdays(wanted: number, firstDay: number, length: number): number {
  let found = 0;
  for (let rest = wanted; rest !== 0; rest &= rest - 1) {
    const index = lowestBit(rest);
    if (index < length) found |= 1 << nearestWorkday(index, weekdayOf(firstDay + index), length);
  }
  return found;
}

/** The nearest Monday to Friday without leaving the month. */
function nearestWorkday(index: number, weekday: number, length: number): number {
  if (weekday === SATURDAY) return index === 0 ? 2 : index - 1;
  if (weekday === SUNDAY) return index === length - 1 ? index - 2 : index + 1;
  return index;
}

function weekdaysOf(fields: Fields, firstWeekday: number, length: number): number {
  const week = startingAt(fields.weekday, firstWeekday);
  const days = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
  return fields.special === undefined ? days : days | nthWeekdays(fields.special, firstWeekday, length);
}

function nthWeekdays(special: SpecialDays, firstWeekday: number, length: number): number {
  let days = 0;
  for (let place = 0; place < LAST_PLACE; place += 1) {
    days |= startingAt(weekdaysAt(special, place), firstWeekday) << (7 * place);
  }
  return days | (startingAt(weekdaysAt(special, LAST_PLACE), (firstWeekday + length) % 7) << (length - 7));
}

/** A set of weekdays turned so that bit 0 is `firstWeekday`. */
const startingAt = (week: number, firstWeekday: number): number =>
  ((week >> firstWeekday) | (week << (7 - firstWeekday))) & 0x7f;

/** The first due day at or after `day`; Infinity beyond the calendar. */
export function dueDayFrom(fields: Fields, day: number): number {
  if (isEveryDay(fields)) return day;
  let month = monthOf(day);
  let days = dueDaysOf(fields, month) & (-1 << (day - firstDayOf(month)));
  while (days === 0) {
    month += 1;
    if (month > LAST_MONTH) return Infinity;
    days = dueDaysOf(fields, month);
  }
  return firstDayOf(month) + lowestBit(days);
}

/** The last due day at or before `day`; -Infinity before the calendar. */
export function dueDayUpTo(fields: Fields, day: number): number {
  if (isEveryDay(fields)) return day;
  let month = monthOf(day);
  let days = dueDaysOf(fields, month) & ((2 << (day - firstDayOf(month))) - 1);
  while (days === 0) {
    month -= 1;
    if (month < FIRST_MONTH) return -Infinity;
    days = dueDaysOf(fields, month);
  }
  return firstDayOf(month) + highestBit(days);
}
