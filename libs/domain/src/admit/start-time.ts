import { type AdmitFacts, ticksMind } from './admit.js';
import { isUnlimited } from './slots.js';

/** A run that starts within this time may be told to the queue, which wakes it; until then it waits in the database, cold. */
export const HOT_MS = 2_000;

/**
 * Whether a run that starts then is still to be admitted: it holds no slot yet and is not told to any queue. Where others have to do
 * with it, it is admitted when it starts and not before: it would stand in the way of what comes earlier, and be judged by what
 * may be over when it starts.
 */
export const isCold = (startsAt: number, now: number, task: AdmitFacts): boolean =>
  startsAt > now + HOT_MS || (startsAt > now && isContested(task));

/** Whether a run of the task that is there already, or is not yet, makes a difference to any other. */
const isContested = (task: AdmitFacts): boolean => !isUnlimited(task) || ticksMind(task);

/** What has passed starts now. Both are epoch milliseconds. */
export const startsAt = (startTime: number | undefined, now: number): number => Math.max(now, startTime ?? now);

/** What is wrong with a start time, or null. It may be up to a year ahead, by the calendar. */
export function startTimeProblem(startTime: number, now: number): string | null {
  return startTime > aYearAfter(now) ? 'must not be more than a year ahead' : null;
}

function aYearAfter(now: number): number {
  const end = new Date(now);
  return end.setUTCFullYear(end.getUTCFullYear() + 1);
}
