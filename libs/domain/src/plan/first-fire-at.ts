import { type Schedule } from '../schedule/index.js';

/**
 * The first due second after `after` and within [startAt, endAt]. `@every` has no previous fire to count from before its
 * start, so it begins with the start itself.
 */
export function firstFireAt(schedule: Schedule, after: number, startAt?: number, endAt?: number): number | null {
  const start = startAt === undefined ? -Infinity : Math.ceil(startAt);
  const fire = start > after && schedule.every !== undefined ? start : schedule.next(Math.max(after, start - 1));
  return fire !== null && fire <= (endAt ?? Infinity) ? fire : null;
}
