/**
 * The Gregorian calendar in two numbers: `day` counts days since 1970-01-01, `month` counts months since January of
 * year 0. No objects, and the months in a table, since `next` passes here for most schedules.
 */

export const DAY = 86_400;

/** First and last second this module answers for: years 1 to 9999. */
export const EARLIEST = -62_135_596_800;
export const LATEST = 253_402_300_799;

const LAST_YEAR = 10_000;
const DAYS_BEFORE_1970 = 719_528;
const MEAN_MONTH = 146_097 / 4_800;
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** The first day of every month of the years 0 to 10000, half a megabyte. */
const FIRST_DAYS = firstDays();

function firstDays(): Int32Array {
  const days = new Int32Array((LAST_YEAR + 1) * 12 + 1);
  days[0] = -DAYS_BEFORE_1970;
  for (let month = 0; month < days.length - 1; month += 1) {
    const leapDay = month % 12 === 1 && isLeap(Math.floor(month / 12)) ? 1 : 0;
    days[month + 1] = days[month] + LENGTHS[month % 12] + leapDay;
  }
  return days;
}

export const firstDayOf = (month: number): number => FIRST_DAYS[month];

export const lengthOf = (month: number): number => FIRST_DAYS[month + 1] - FIRST_DAYS[month];

export function monthOf(day: number): number {
  let month = Math.floor((day + DAYS_BEFORE_1970) / MEAN_MONTH);
  while (FIRST_DAYS[month] > day) month -= 1;
  while (FIRST_DAYS[month + 1] <= day) month += 1;
  return month;
}

/** 0 for January. */
export const monthOfYear = (month: number): number => month % 12;

/** 0 for Sunday; 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** Wall-clock seconds (as if the zone were UTC) written out: 2026-03-29T03:00:00. */
export const wallText = (wall: number): string => new Date(wall * 1000).toISOString().replace(/\.\d+Z$/, '');
