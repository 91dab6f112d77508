/** What a cron expression says, as bit sets. Flat on purpose: one small object per schedule, 100,000 of them. */
export interface Fields {
  /** 0–29 and 30–59. */
  readonly secondLow: number;
  readonly secondHigh: number;
  readonly minuteLow: number;
  readonly minuteHigh: number;
  readonly hour: number;
  /** Bit 0 is the 1st. */
  readonly dayOfMonth: number;
  /** Bit 0 is January. */
  readonly month: number;
  /** Bit 0 is Sunday. */
  readonly weekday: number;
  readonly flags: number;
  /** `L`, `W`, `LW` and `#`; most schedules have none and share nothing. */
  readonly special: SpecialDays | undefined;
}

export interface SpecialDays {
  /** `15W`: bit 14. */
  readonly nearest: number;
  /** Weekdays by their place in the month, seven bits each: `#1` to `#4`. */
  readonly early: number;
  /** The same for `#5` and `L`. */
  readonly late: number;
}

/** Places in the month count from 0; after the fifth comes the last. */
export const PLACES = [0, 1, 2, 3, 4, 5] as const;
export const LAST_PLACE = 5;
export const EARLY_PLACES = 4;

/** The weekdays wanted at a place. */
export const weekdaysAt = ({ early, late }: SpecialDays, place: number): number =>
  (place < EARLY_PLACES ? early >> (7 * place) : late >> (7 * (place - EARLY_PLACES))) & 0x7f;

export const Flag = {
  /** The field holds `*` or `?` or its whole range: such schedules follow real instants through clock changes. */
  SECOND_STAR: 1,
  MINUTE_STAR: 2,
  HOUR_STAR: 4,
  /** `*`, `?` or `*` with step 1: the field does not restrict the day. */
  ANY_DAY_OF_MONTH: 8,
  ANY_WEEKDAY: 16,
  LAST_DAY: 32,
  LAST_WORKDAY: 64,
  /** The zone was written in the expression. */
  OWN_ZONE: 128,
} as const;

export const FOLLOWS_INSTANTS = Flag.SECOND_STAR | Flag.MINUTE_STAR | Flag.HOUR_STAR;
export const ANY_DAY = Flag.ANY_DAY_OF_MONTH | Flag.ANY_WEEKDAY;
export const ALL_MONTHS = 0xfff;
