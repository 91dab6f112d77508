import { HALF } from './bits.js';
import { type Fields, Flag, LAST_PLACE, PLACES, type SpecialDays, weekdaysAt } from './fields.js';

/**
 * Six fields in one spelling: equal schedules have equal texts. A `*` stays where it decides about clock changes, and
 * is left out where it would (`0-45/15`, not `*` with a step, if no `*` was written).
 */
export function fieldsText(fields: Fields): string {
  const { flags } = fields;
  return [
    starText(sixty(fields.secondLow, fields.secondHigh), 60, (flags & Flag.SECOND_STAR) !== 0),
    starText(sixty(fields.minuteLow, fields.minuteHigh), 60, (flags & Flag.MINUTE_STAR) !== 0),
    starText(members(fields.hour, 24), 24, (flags & Flag.HOUR_STAR) !== 0),
    dayOfMonthText(fields),
    monthText(fields),
    dayOfWeekText(fields),
  ].join(' ');
}

const members = (set: number, size: number, first = 0): number[] =>
  Array.from({ length: size }, (_, index) => index)
    .filter((index) => (set >> index) & 1)
    .map((index) => index + first);

const sixty = (low: number, high: number): number[] => [...members(low, HALF), ...members(high, HALF, HALF)];

/** A field with `*` always holds 0, so `*` with the widest step stands for that alone. */
function starText(values: number[], size: number, star: boolean): string {
  if (!star) return listText(values);
  if (values.length === size) return '*';
  const step = values.length > 1 ? values[1] : size;
  const isStepped = values.length === Math.ceil(size / step) && values.every((value, index) => value === index * step);
  return isStepped ? `*/${step}` : `*/${size},${listText(values.slice(1))}`;
}

function dayOfMonthText({ flags, dayOfMonth, special }: Fields): string {
  if (flags & Flag.ANY_DAY_OF_MONTH) return '*';
  const items = dayOfMonth === 0 ? [] : [listText(members(dayOfMonth, 31, 1))];
  for (const day of members(special?.nearest ?? 0, 31, 1)) items.push(`${day}W`);
  if (flags & Flag.LAST_DAY) items.push('L');
  if (flags & Flag.LAST_WORKDAY) items.push('LW');
  return items.join(',');
}

function monthText({ month }: Fields): string {
  const months = members(month, 12, 1);
  return months.length === 12 ? '*' : listText(months);
}

function dayOfWeekText({ flags, weekday, special }: Fields): string {
  if (flags & Flag.ANY_WEEKDAY) return '*';
  const items = weekday === 0 ? [] : [listText(members(weekday, 7))];
  return [...items, ...(special === undefined ? [] : PLACES.flatMap((place) => placeTexts(special, place)))].join(',');
}

const placeTexts = (special: SpecialDays, place: number): string[] =>
  members(weekdaysAt(special, place), 7).map((day) => (place === LAST_PLACE ? `${day}L` : `${day}#${place + 1}`));

function listText(values: number[]): string {
  const step = values.length > 2 ? values[1] - values[0] : 1;
  const isStepped = step > 1 && values.every((value, index) => value === values[0] + index * step);
  return isStepped ? `${values[0]}-${values.at(-1)}/${step}` : runsOf(values).map(runText).join(',');
}

/** Consecutive values together. */
function runsOf(values: number[]): number[][] {
  const runs: number[][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run?.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs;
}

const runText = (run: number[]): string => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(','));
