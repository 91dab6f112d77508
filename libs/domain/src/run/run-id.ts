import { HOT_MS } from '../admit/start-time.js';

/**
 * A cron run's id is `<scheduled second>-<task id>`: the primary key itself makes a second exist once, and ids sort by
 * time (ten digits until the year 2286). Any other run of the same second carries a suffix.
 */
export function cronRunId(scheduledSecond: number, taskId: bigint): string {
  return `${second(scheduledSecond)}-${taskId}`;
}

export function onDemandRunId(scheduledSecond: number, taskId: bigint, suffix: string): string {
  return `${second(scheduledSecond)}-${taskId}-${suffix}`;
}

export interface Asked {
  /** Epoch milliseconds, both: when the run starts, and when it was asked for. */
  startsAt: number;
  askedAt: number;
  /** Which of those asked for together. */
  place: number;
  /** Keeps apart what two processes are asked for in the same millisecond: lower-case letters and digits. */
  random: string;
}

/** Ids of runs on demand sort by when they start, then by when they were asked for: the order in which they wait for a slot. */
export function demandSuffix({ startsAt, askedAt, place, random }: Asked): string {
  const millisecond = String(Math.floor(startsAt) % 1000).padStart(3, '0');
  const asked = startsAt > askedAt ? Math.floor(askedAt).toString(36).padStart(9, '0') : '';
  return `${millisecond}${asked}${place.toString(36).padStart(2, '0')}${random}`;
}

/** The run that makes up for a second whose own row says it was MISSED: that row stays, and this too can exist once. */
export function madeUpRunId(scheduledSecond: number, taskId: bigint): string {
  return onDemandRunId(scheduledSecond, taskId, 'b');
}

/** The smallest id a run of that second can have: what lists compare with for `from` and `to`. */
export function firstIdOfSecond(scheduledSecond: number): string {
  return second(scheduledSecond);
}

/** An id that every run sorts before that holds a slot or waits for one: those behind it are cold, and may be very many. */
export function firstIdAfterHotOnes(now: number): string {
  // A second more than by this clock: another process may be a few milliseconds ahead.
  return second(Math.floor((now + HOT_MS) / 1000) + 2);
}

/** The second of a cron run that was admitted ahead of it; null for any other run, and once the second has come. */
export function aheadSecond(runId: string | null, taskId: bigint, now: number): number | null {
  const at = runId === null ? NaN : parseInt(runId, 10);
  return at * 1000 > now && runId === cronRunId(at, taskId) ? at : null;
}

/** Null for what is no id of ours. */
export function taskIdOf(runId: string): bigint | null {
  const from = runId.indexOf('-') + 1;
  const end = runId.indexOf('-', from);
  const digits = runId.slice(from, end === -1 ? undefined : end);
  return from > 0 && /^\d{1,19}$/.test(digits) ? BigInt(digits) : null;
}

function second(value: number): string {
  return String(value).padStart(10, '0');
}
