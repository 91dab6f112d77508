import { HALF } from './bits.js';
import { CronError, shown } from './cron-error.js';
import { DAY_OF_MONTH, DAY_OF_WEEK } from './field-rules.js';
import { EARLY_PLACES, Flag, LAST_PLACE, type SpecialDays } from './fields.js';
import { type FieldSet, parseField, parseValue } from './parse-field.js';

export interface DaysSet {
  readonly days: number;
  readonly flags: number;
}

const daysOf = ({ low, high }: FieldSet): number => low | (high << HALF);

/** Days of the month, with `L`, `LW` and `15W`; the last go to `special.nearest`. */
export function parseDayOfMonth(text: string, special: Special): DaysSet {
  let flags = 0;
  const set = parseField(text, DAY_OF_MONTH, (item) => {
    const upper = item.toUpperCase();
    if (upper === 'L') flags |= Flag.LAST_DAY;
    else if (upper === 'LW') flags |= Flag.LAST_WORKDAY;
    else if (/^\d+W$/.test(upper)) special.nearest |= 1 << (parseValue(item, item.slice(0, -1), DAY_OF_MONTH) - 1);
    else return false;
    return true;
  });
  return { days: daysOf(set), flags: flags | (set.any ? Flag.ANY_DAY_OF_MONTH : 0) };
}

/** Weekdays, with `FRI#2` and `FRIL`, which go to `special`. */
export function parseDayOfWeek(text: string, special: Special): DaysSet {
  const set = parseField(text, DAY_OF_WEEK, (item) => {
    const last = item.length > 1 && /[Ll]$/.test(item);
    const hash = item.indexOf('#');
    if (!last && hash < 0) return false;
    const weekday = parseValue(item, last ? item.slice(0, -1) : item.slice(0, hash), DAY_OF_WEEK) % 7;
    special.addWeekday(weekday, last ? LAST_PLACE : parsePlace(item, item.slice(hash + 1)) - 1);
    return true;
  });
  return { days: daysOf(set), flags: set.any ? Flag.ANY_WEEKDAY : 0 };
}

function parsePlace(item: string, text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text);
  throw new CronError('day_of_week', `the place after # in ${shown(item)} is not one of 1–5`);
}

/** Collects what both day fields hold beside plain days. */
export class Special implements SpecialDays {
  nearest = 0;
  early = 0;
  late = 0;

  addWeekday(weekday: number, place: number): void {
    if (place < EARLY_PLACES) this.early |= 1 << (weekday + 7 * place);
    else this.late |= 1 << (weekday + 7 * (place - EARLY_PLACES));
  }

  get orNone(): SpecialDays | undefined {
    return (this.nearest | this.early | this.late) === 0 ? undefined : this;
  }
}
