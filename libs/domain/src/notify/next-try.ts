import { retryAfterMs } from '../retry/retry-after.js';

/** A try that was not acknowledged. */
export interface FailedTry {
  /** How many there have been, this one included. */
  attempts: number;
  /** What the receiver answered, if it did. */
  httpStatus: number | null;
  retryAfter: string | undefined;
}

export type TryVerdict = { kind: 'again'; at: number } | { kind: 'give_up' };

/** The receiver says that it is gone for good. */
const GONE = 410;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Receivers that were away together are not all tried again in the same second. */
const SPREAD = 0.1;

/**
 * `waits` are the seconds between one try and the next: there is one try more than waits. A `Retry-After` makes the wait
 * longer, up to a day, never shorter. `now` is epoch milliseconds, `random` a number in [0, 1).
 */
export function nextTry(failed: FailedTry, waits: readonly number[], now: number, random: number): TryVerdict {
  const wait = waits.at(failed.attempts - 1);
  if (failed.attempts > waits.length || wait === undefined || failed.httpStatus === GONE) return { kind: 'give_up' };
  const own = wait * 1000 * (1 + SPREAD * random);
  const asked = Math.min(retryAfterMs(failed.retryAfter, now) ?? 0, DAY_MS);
  return { kind: 'again', at: now + Math.round(Math.max(own, asked)) };
}
