/** A run that starts within this time is told to the queue, which wakes it; until then it waits in the database, cold. */
export const HOT_MS = 2_000;

/** Whether a run that starts then holds no slot yet and is not told to any queue. */
export const isCold = (startsAt: number, now: number): boolean => startsAt > now + HOT_MS;

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
