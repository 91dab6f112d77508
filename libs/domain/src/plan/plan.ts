import { type Schedule } from '../schedule/index.js';
import { firstFireAt } from './first-fire-at.js';

export type PlannedTick =
  | { kind: 'run'; at: number; trigger: 'CRON' | 'CATCH_UP'; missedFrom?: number; missedCount?: number }
  | { kind: 'missed'; at: number; missedFrom: number; missedCount: number };

export interface PlanInput {
  schedule: Schedule;
  /** `next_fire_at`: the first due second not yet decided, itself a due second. */
  cursor: number;
  /** The database's clock in epoch seconds. */
  now: number;
  mode: 'NONE' | 'COMPACT' | 'FULL';
  limit: number;
  graceSeconds: number;
  startAt?: number;
  /** Inclusive. */
  endAt?: number;
  /** FULL: at most so many CATCH_UP runs in one pass. */
  chunk?: number;
  /** Only the newest due second within the grace time runs on time; those before it belong to the gap. */
  sampling?: boolean;
}

export interface Plan {
  ticks: PlannedTick[];
  nextFireAt: number | null;
}

/** Due seconds in a row: `count` of them, beginning with `first`, which is due. */
interface Stretch {
  readonly first: number;
  readonly count: number;
}

/**
 * What becomes of the due seconds from the cursor to now. Those within the grace time run, each (under `sampling` the
 * newest alone); older ones are the gap, and the catch-up mode decides.
 *
 * FULL keeps no memory between passes and needs none: the first pass cuts the gap to its newest `limit` and moves the
 * cursor past what it cut, so later passes find at most what is left of those, plus what has become due since. While
 * `chunk` holds part of the gap back, what is on time waits behind it, for ticks are decided in order.
 */
export function plan(input: PlanInput): Plan {
  const { schedule, now, startAt, endAt = Infinity } = input;
  const cursor = input.cursor < (startAt ?? -Infinity) ? firstFireAt(schedule, input.cursor, startAt) : input.cursor;
  if (cursor === null || cursor > endAt) return { ticks: [], nextFireAt: null };
  const gap = stretch(schedule, cursor, endOfGap(input, cursor));
  const ticks = gap.count === 0 ? [] : catchUp(input, gap);
  const decided = decidedOf(input, gap);
  const undecided = decided === 0 ? cursor : schedule.next(secondOf(schedule, cursor, decided - 1));
  if (decided < gap.count) return { ticks, nextFireAt: undecided };
  return runOnTime(schedule, ticks, undecided, Math.min(now, endAt), endAt);
}

/** The last second that is no longer on time. */
function endOfGap({ schedule, now, graceSeconds, endAt = Infinity, sampling }: PlanInput, cursor: number): number {
  const end = Math.min(now, endAt);
  const outOfGrace = Math.min(Math.ceil(now - graceSeconds) - 1, end);
  if (!sampling || cursor > end) return outOfGrace;
  const newest = secondOf(schedule, cursor, schedule.count(cursor, end));
  return Math.max(outOfGrace, newest - 1);
}

function runOnTime(schedule: Schedule, ticks: PlannedTick[], first: number | null, to: number, endAt: number): Plan {
  let fire = first;
  for (; fire !== null && fire <= to; fire = schedule.next(fire))
    ticks.push({ kind: 'run', at: fire, trigger: 'CRON' });
  return { ticks, nextFireAt: fire !== null && fire <= endAt ? fire : null };
}

const stretch = (schedule: Schedule, first: number, to: number): Stretch => ({
  first,
  count: first > to ? 0 : 1 + schedule.count(first, to),
});

/** How many seconds of the gap this pass decides. */
function decidedOf({ mode, limit, chunk = Infinity }: PlanInput, { count }: Stretch): number {
  if (mode !== 'FULL') return count;
  return Math.min(cutOf(limit, count) + Math.max(chunk, 1), count);
}

const cutOf = (limit: number, count: number): number => Math.max(count - Math.max(limit, 0), 0);

function catchUp(input: PlanInput, gap: Stretch): PlannedTick[] {
  switch (input.mode) {
    case 'NONE':
      return [missed(input.schedule, gap)];
    case 'COMPACT':
      return [{ ...missed(input.schedule, gap), kind: 'run', trigger: 'CATCH_UP' }];
    case 'FULL':
      return catchUpEach(input, gap);
  }
}

/** One row for the whole stretch, at its newest second. */
function missed(schedule: Schedule, { first, count }: Stretch): PlannedTick & { kind: 'missed' } {
  return { kind: 'missed', at: secondOf(schedule, first, count - 1), missedFrom: first, missedCount: count };
}

function catchUpEach(input: PlanInput, gap: Stretch): PlannedTick[] {
  const { schedule } = input;
  const cut = cutOf(input.limit, gap.count);
  const ticks: PlannedTick[] = cut > 0 ? [missed(schedule, { first: gap.first, count: cut })] : [];
  const runs = decidedOf(input, gap) - cut;
  let at: number | null = secondOf(schedule, gap.first, cut);
  for (let run = 0; run < runs && at !== null; run += 1, at = schedule.next(at)) {
    ticks.push({ kind: 'run', at, trigger: 'CATCH_UP' });
  }
  return ticks;
}

/** The due second `steps` after a due second. */
const secondOf = (schedule: Schedule, first: number, steps: number): number => schedule.advance(first, steps) ?? first;
