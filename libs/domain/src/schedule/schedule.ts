/** All times are whole epoch seconds; fractional input is floored (`next`) or raised (`previous`). */
export interface Schedule {
  /**
   * Six fields in one canonical spelling, or `@every 90s`; `CRON_TZ=zone ` stays in front if a zone was written in the
   * expression. Parsing it again gives an equal schedule.
   */
  readonly normalized: string;
  /** The zone in effect, as it was written. */
  readonly zone: string;
  /** For `@every`: its seconds. Such a schedule has no grid of its own, it counts from the second it is given. */
  readonly every: number | undefined;
  /** The first fire after `after`, or null beyond the year 9999. */
  next(after: number): number | null;
  previous(before: number): number | null;
  matches(second: number): boolean;
  /** Fires in (from, to], ascending, at most `limit`. */
  between(from: number, to: number, limit: number): number[];
  /** How many fires (from, to] holds: arithmetic, so a year of seconds costs microseconds. */
  count(from: number, to: number): number;
  /** The fire `steps` after `after`; `advance(t, 1)` is `next(t)`, `advance(t, 0)` is t. */
  advance(after: number, steps: number): number | null;
}

export function firesBetween(schedule: Schedule, from: number, to: number, limit: number): number[] {
  const fires: number[] = [];
  let fire = limit > 0 ? schedule.next(from) : null;
  while (fire !== null && fire <= to) {
    fires.push(fire);
    fire = fires.length < limit ? schedule.next(fire) : null;
  }
  return fires;
}
