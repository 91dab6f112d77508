import { type CronField } from './cron-error.js';

/** What each field allows. */
export interface FieldRule {
  readonly field: CronField;
  readonly min: number;
  /** The largest number that may be written: 7 is Sunday too. */
  readonly max: number;
  /** Where `*` and `a/n` end. */
  readonly last: number;
  /** The first stands for `min`. */
  readonly names: readonly string[];
  /** Further items, as an error message shows them. */
  readonly special: string;
}

const SPECIAL: Partial<Record<CronField, string>> = { day_of_month: ', L, LW, 15W', day_of_week: ', FRI#2, FRIL' };

const rule = (field: CronField, min: number, max: number, names = '', last = max): FieldRule => ({
  field,
  min,
  max,
  last,
  names: names === '' ? [] : names.split(' '),
  special: SPECIAL[field] ?? '',
});

export const SECOND = rule('second', 0, 59);
export const MINUTE = rule('minute', 0, 59);
export const HOUR = rule('hour', 0, 23);
export const DAY_OF_MONTH = rule('day_of_month', 1, 31);
export const MONTH = rule('month', 1, 12, 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC');
export const DAY_OF_WEEK = rule('day_of_week', 0, 7, 'SUN MON TUE WED THU FRI SAT', 6);

export const sizeOf = ({ min, last }: FieldRule): number => last - min + 1;
