import { wallText } from './calendar.js';
import { CronSchedule } from './cron-schedule.js';
import { type Schedule } from './schedule.js';
import { dueWallFrom } from './wall-clock.js';
import { type OffsetChange } from './zone-clock.js';

/** How a change of the zone's clock touches one second of a schedule. */
export interface ClockChange {
  /** gap: due times were skipped; fold: the due time comes twice. */
  readonly kind: 'gap' | 'fold';
  /** The instant of the change. */
  readonly at: number;
  /** What the clock would have read then, and what it read: 02:00:00 and 03:00:00. */
  readonly from: string;
  readonly to: string;
  /** In a fold: whether `second` is the first or the second time. */
  readonly occurrence?: 1 | 2;
  readonly fires: boolean;
}

/**
 * Undefined unless a change touches this second: a due time in a fold, the first fire after a gap that skipped due
 * times, or a second that would have been due had the clock not gone forward.
 */
export function clockChangeAt(schedule: Schedule, second: number): ClockChange | undefined {
  if (!(schedule instanceof CronSchedule)) return undefined;
  const before = schedule.clock.changeUpTo(second);
  const fires = schedule.matches(second);
  if (before !== undefined && isGap(schedule, before, second, fires)) return { kind: 'gap', ...told(before), fires };
  if (before !== undefined && isSecondTime(schedule, before, second)) {
    return { kind: 'fold', ...told(before), occurrence: 2, fires };
  }
  const after = schedule.clock.changeAfter(second);
  const repeats = after !== undefined && fires && second + after.before >= after.at + after.after;
  return repeats ? { kind: 'fold', ...told(after), occurrence: 1, fires } : undefined;
}

function isGap(schedule: CronSchedule, change: OffsetChange, second: number, fires: boolean): boolean {
  if (change.after <= change.before) return false;
  const skippedFrom = change.at + change.before;
  const skippedTo = change.at + change.after;
  if (fires) return schedule.next(change.at - 1) === second && dueWallFrom(schedule, skippedFrom) < skippedTo;
  return isDueAt(schedule, second + change.before) && second + change.before < skippedTo;
}

const isSecondTime = (schedule: CronSchedule, change: OffsetChange, second: number): boolean =>
  second + change.after < change.at + change.before && isDueAt(schedule, second + change.after);

const isDueAt = (schedule: CronSchedule, wall: number): boolean => dueWallFrom(schedule, wall) === wall;

const told = ({ at, before, after }: OffsetChange): Pick<ClockChange, 'at' | 'from' | 'to'> => ({
  at,
  from: clockText(at + before, at + after),
  to: clockText(at + after, at + before),
});

/** The time of day, with its date where the change crosses midnight. */
function clockText(wall: number, other: number): string {
  const [date, time] = wallText(wall).split('T');
  return wallText(other).startsWith(date) ? time : `${date} ${time}`;
}

/** Says in English when a fire is affected by a gap or a fold. */
export function transitionNote(schedule: Schedule, at: number): string | undefined {
  const change = clockChangeAt(schedule, at);
  if (change === undefined) return undefined;
  const moved = change.kind === 'gap' ? 'forward' : 'back';
  return `Clocks in ${schedule.zone} go ${moved} from ${change.from} to ${change.to}: ${consequence(schedule, change, at)}.`;
}

function consequence(schedule: Schedule, change: ClockChange, at: number): string {
  const repeats = schedule instanceof CronSchedule && schedule.followsInstants;
  if (change.kind === 'fold') {
    if (!repeats) return change.fires ? 'this time comes twice, only the first fires' : 'this time has fired before';
    return `this time comes twice and fires twice, here the ${change.occurrence === 1 ? 'first' : 'second'} time`;
  }
  if (!firesSkipped(schedule, change)) return 'the due times in between do not fire';
  return `the due times in between fire once, ${change.at === at ? 'here' : 'at the change'}`;
}

/** A schedule of fixed times, through a change that is not too wide. */
const firesSkipped = (schedule: Schedule, { at }: ClockChange): boolean => {
  if (!(schedule instanceof CronSchedule) || schedule.followsInstants) return false;
  const { start, offset, fixedFrom } = schedule.clock.spanAt(at);
  return fixedFrom < start + offset;
};
