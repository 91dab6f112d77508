import { countBelow, countBits, memberFrom, memberUpTo, sixtyBelow, sixtyFrom, sixtyUpTo } from './bits.js';
import { DAY, firstDayOf, monthOf } from './calendar.js';
import { dueDayFrom, dueDaysOf, dueDayUpTo, isEveryDay } from './due-days.js';
import { type Fields } from './fields.js';

/** Due wall-clock seconds, counted as if every zone were UTC; zones and their changes come on top. */

const HOUR = 3600;
const MINUTE = 60;

export function dueWallFrom(fields: Fields, wall: number): number {
  const day = Math.floor(wall / DAY);
  const dueDay = dueDayFrom(fields, day);
  if (dueDay !== day) return dueDay * DAY + firstTime(fields);
  const time = timeFrom(fields, wall - day * DAY);
  return time >= 0 ? day * DAY + time : dueDayFrom(fields, day + 1) * DAY + firstTime(fields);
}

export function dueWallUpTo(fields: Fields, wall: number): number {
  const day = Math.floor(wall / DAY);
  const dueDay = dueDayUpTo(fields, day);
  if (dueDay !== day) return dueDay * DAY + lastTime(fields);
  const time = timeUpTo(fields, wall - day * DAY);
  return time >= 0 ? day * DAY + time : dueDayUpTo(fields, day - 1) * DAY + lastTime(fields);
}

/** How many due wall-clock seconds lie in [from, to). */
export function countDueWalls(fields: Fields, from: number, to: number): number {
  if (to <= from) return 0;
  const firstDay = Math.floor(from / DAY);
  const lastDay = Math.floor(to / DAY);
  const perDay = timesBelow(fields, DAY);
  const before = dueDayFrom(fields, firstDay) === firstDay ? timesBelow(fields, from - firstDay * DAY) : 0;
  const last = dueDayFrom(fields, lastDay) === lastDay ? timesBelow(fields, to - lastDay * DAY) : 0;
  return countDueDays(fields, firstDay, lastDay) * perDay - before + last;
}

/** Due days in [from, to). */
function countDueDays(fields: Fields, from: number, to: number): number {
  if (isEveryDay(fields)) return to - from;
  const lastMonth = monthOf(to);
  let count = -daysBelow(fields, monthOf(from), from) + daysBelow(fields, lastMonth, to);
  for (let month = monthOf(from); month < lastMonth; month += 1) count += countBits(dueDaysOf(fields, month));
  return count;
}

const daysBelow = (fields: Fields, month: number, day: number): number =>
  countBelow(dueDaysOf(fields, month), day - firstDayOf(month));

function timeFrom(fields: Fields, time: number): number {
  const hour = Math.trunc(time / HOUR);
  if ((fields.hour >> hour) & 1) {
    const inHour = timeInHourFrom(fields, time - hour * HOUR);
    if (inHour >= 0) return hour * HOUR + inHour;
  }
  const later = memberFrom(fields.hour, hour + 1);
  return later < 0 ? -1 : later * HOUR + firstInHour(fields);
}

function timeInHourFrom(fields: Fields, time: number): number {
  const minute = Math.trunc(time / MINUTE);
  const due = sixtyFrom(fields.minuteLow, fields.minuteHigh, minute);
  if (due < 0) return -1;
  if (due > minute) return due * MINUTE + firstSecond(fields);
  const second = sixtyFrom(fields.secondLow, fields.secondHigh, time - minute * MINUTE);
  if (second >= 0) return minute * MINUTE + second;
  const later = sixtyFrom(fields.minuteLow, fields.minuteHigh, minute + 1);
  return later < 0 ? -1 : later * MINUTE + firstSecond(fields);
}

function timeUpTo(fields: Fields, time: number): number {
  const hour = Math.trunc(time / HOUR);
  if ((fields.hour >> hour) & 1) {
    const inHour = timeInHourUpTo(fields, time - hour * HOUR);
    if (inHour >= 0) return hour * HOUR + inHour;
  }
  const earlier = memberUpTo(fields.hour, hour - 1);
  return earlier < 0 ? -1 : earlier * HOUR + lastInHour(fields);
}

function timeInHourUpTo(fields: Fields, time: number): number {
  const minute = Math.trunc(time / MINUTE);
  const due = sixtyUpTo(fields.minuteLow, fields.minuteHigh, minute);
  if (due < 0) return -1;
  if (due < minute) return due * MINUTE + lastSecond(fields);
  const second = sixtyUpTo(fields.secondLow, fields.secondHigh, time - minute * MINUTE);
  if (second >= 0) return minute * MINUTE + second;
  const earlier = sixtyUpTo(fields.minuteLow, fields.minuteHigh, minute - 1);
  return earlier < 0 ? -1 : earlier * MINUTE + lastSecond(fields);
}

const firstSecond = (fields: Fields): number => sixtyFrom(fields.secondLow, fields.secondHigh, 0);
const lastSecond = (fields: Fields): number => sixtyUpTo(fields.secondLow, fields.secondHigh, 59);
const firstInHour = (fields: Fields): number =>
  sixtyFrom(fields.minuteLow, fields.minuteHigh, 0) * MINUTE + firstSecond(fields);
const lastInHour = (fields: Fields): number =>
  sixtyUpTo(fields.minuteLow, fields.minuteHigh, 59) * MINUTE + lastSecond(fields);
const firstTime = (fields: Fields): number => memberFrom(fields.hour, 0) * HOUR + firstInHour(fields);
const lastTime = (fields: Fields): number => memberUpTo(fields.hour, 23) * HOUR + lastInHour(fields);

/** Due times of a due day that lie before `time`. */
function timesBelow(fields: Fields, time: number): number {
  const hour = Math.trunc(time / HOUR);
  const minute = Math.trunc((time - hour * HOUR) / MINUTE);
  const second = time - hour * HOUR - minute * MINUTE;
  const perMinute = sixtyBelow(fields.secondLow, fields.secondHigh, 60);
  const perHour = sixtyBelow(fields.minuteLow, fields.minuteHigh, 60) * perMinute;
  return countBelow(fields.hour, hour) * perHour + timesBelowInHour(fields, hour, minute, second, perMinute);
}

function timesBelowInHour(fields: Fields, hour: number, minute: number, second: number, perMinute: number): number {
  if (((fields.hour >> hour) & 1) === 0) return 0;
  const whole = sixtyBelow(fields.minuteLow, fields.minuteHigh, minute) * perMinute;
  const isDueMinute = sixtyFrom(fields.minuteLow, fields.minuteHigh, minute) === minute;
  return isDueMinute ? whole + sixtyBelow(fields.secondLow, fields.secondHigh, second) : whole;
}
