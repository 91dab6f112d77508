import { countBits } from './bits.js';
import { CronError, shown } from './cron-error.js';
import { HOUR, MINUTE, MONTH, SECOND } from './field-rules.js';
import { type Fields, Flag } from './fields.js';
import { type DaysSet, parseDayOfMonth, parseDayOfWeek, Special } from './parse-days.js';
import { type FieldSet, parseField } from './parse-field.js';

/** The longest each month gets. */
const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Six fields, seconds first. */
export function parseFields(texts: readonly string[]): Fields {
  const second = parseField(texts[0], SECOND);
  const minute = parseField(texts[1], MINUTE);
  const hour = parseField(texts[2], HOUR);
  const special = new Special();
  const dates = parseDayOfMonth(texts[3], special);
  const month = parseField(texts[4], MONTH).low;
  const weekdays = parseDayOfWeek(texts[5], special);
  refuseNever(texts, dates, month, weekdays, special);
  return {
    secondLow: second.low,
    secondHigh: second.high,
    minuteLow: minute.low,
    minuteHigh: minute.high,
    hour: hour.low,
    dayOfMonth: dates.days,
    month,
    weekday: weekdays.days,
    flags: starFlags(second, minute, hour) | dates.flags | weekdays.flags,
    special: special.orNone,
  };
}

function starFlags(second: FieldSet, minute: FieldSet, hour: FieldSet): number {
  const follows = (set: FieldSet, size: number): boolean =>
    set.star || countBits(set.low) + countBits(set.high) === size;
  return (
    (follows(second, 60) ? Flag.SECOND_STAR : 0) |
    (follows(minute, 60) ? Flag.MINUTE_STAR : 0) |
    (follows(hour, 24) ? Flag.HOUR_STAR : 0)
  );
}

/** Weekdays always come (a fifth Monday of February every 28 years); dates such as 30 February do not. */
function refuseNever(
  texts: readonly string[],
  dates: DaysSet,
  months: number,
  weekdays: DaysSet,
  special: Special,
): void {
  const byWeekday = (weekdays.flags & Flag.ANY_WEEKDAY) === 0;
  const always = Flag.ANY_DAY_OF_MONTH | Flag.LAST_DAY | Flag.LAST_WORKDAY;
  if (byWeekday || (dates.flags & always) !== 0) return;
  const wanted = dates.days | special.nearest;
  const comes = MONTH_LENGTHS.some((length, month) => (months >> month) & 1 && wanted & ((2 ** length - 1) | 0));
  if (!comes) throw new CronError('day_of_month', `${neverText(texts)} never comes; no such month has that day`);
}

const neverText = (texts: readonly string[]): string => `day ${shown(texts[3])} of month ${shown(texts[4])}`;
