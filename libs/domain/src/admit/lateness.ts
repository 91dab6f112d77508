/**
 * Until when a run may start under `max_lateness_seconds`, in epoch milliseconds; null: whenever. Counted from when its call
 * is due, so that jitter, which is wanted, is not lateness.
 */
export function startBefore(dueAt: number, maxLatenessSeconds: number | null): number | null {
  return maxLatenessSeconds === null ? null : dueAt + maxLatenessSeconds * 1000;
}

/** The last millisecond still counts. */
export const isLate = (before: number | null, now: number): boolean => before !== null && before < now;
