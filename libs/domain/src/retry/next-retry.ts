import type { RetryPolicy } from '../task/retry-policy.js';
import { retryAfterMs } from './retry-after.js';

/** What is known of a failed execution when it is decided whether the run gets another one. */
export interface FailedAttempt {
  kind: 'network' | 'timeout' | 'status' | 'command' | 'other';
  /** Said by whoever did the work; counts instead of `retry_on`. */
  retryable?: boolean;
  httpStatus: number | null;
  retryAfter: string | undefined;
  attempt: number;
  maxAttempts: number;
}

export type RetryVerdict = { kind: 'retry'; delayMs: number } | { kind: 'give_up' };

const DEFAULT_RETRY_ON = ['network', 'timeout', '5xx', 408, 425, 429];
const DEFAULT_INTERVAL_SECONDS = 10;
/** Where the task sets no ceiling, pauses that grow, or that the target asks for, end at an hour. */
const DEFAULT_MAX_INTERVAL_SECONDS = 3_600;

/** `random` is a number in [0, 1), `now` epoch milliseconds. */
export function nextRetry(policy: RetryPolicy, failed: FailedAttempt, now: number, random: number): RetryVerdict {
  if (policy.strategy === 'none' || failed.attempt >= failed.maxAttempts || !isRetried(policy, failed)) {
    return { kind: 'give_up' };
  }
  const { jitter = 0, max_interval_seconds: most = Infinity } = policy;
  // No pause is longer than the task's ceiling; those that would be are spread out below it.
  const own = spread(Math.min(intervalMs(policy, failed.attempt), (most * 1000) / (1 + jitter)), jitter, random);
  // What the target asks for may be longer than what the task says, but no longer than the ceiling allows.
  const asked = retryAfterMs(failed.retryAfter, now) ?? 0;
  const ceiling = (policy.max_interval_seconds ?? DEFAULT_MAX_INTERVAL_SECONDS) * 1000;
  return { kind: 'retry', delayMs: Math.round(Math.max(own, Math.min(asked, ceiling))) };
}

function isRetried({ retry_on }: RetryPolicy, { kind, httpStatus, retryable }: FailedAttempt): boolean {
  if (retryable !== undefined) return retryable;
  // `retry_on` has no words for exit codes: they are tried again unless it says what alone is.
  if (kind === 'command') return retry_on === undefined;
  const retried = (retry_on ?? DEFAULT_RETRY_ON).map(String);
  if (kind !== 'status' || httpStatus === null) return retried.includes(kind);
  return retried.includes(String(httpStatus)) || retried.includes(`${Math.floor(httpStatus / 100)}xx`);
}

function intervalMs(policy: RetryPolicy, attempt: number): number {
  const interval = policy.interval_seconds ?? DEFAULT_INTERVAL_SECONDS;
  switch (policy.strategy) {
    case 'none':
      return 0;
    case 'fixed':
      return interval * 1000;
    case 'sequence': {
      const sequence = policy.sequence_seconds ?? [interval];
      return sequence[Math.min(attempt, sequence.length) - 1] * 1000;
    }
    case 'exponential': {
      const ceiling = policy.max_interval_seconds ?? Math.max(DEFAULT_MAX_INTERVAL_SECONDS, interval);
      return Math.min(interval * 2 ** Math.min(attempt - 1, 30), ceiling) * 1000;
    }
  }
}

/** jitter 0.2 makes 10 s anything from 8 to 12 s. */
function spread(ms: number, jitter: number, random: number): number {
  return ms * (1 + jitter * (2 * random - 1));
}
