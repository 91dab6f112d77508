import type { RetryStrategy } from './words.js';

/** What a task says about retries; `retry_on` names the kinds of failure and the status codes that are tried again. */
export interface RetryPolicy {
  strategy: RetryStrategy;
  max_attempts?: number;
  interval_seconds?: number;
  sequence_seconds?: number[];
  max_interval_seconds?: number;
  jitter?: number;
  retry_on?: (string | number)[];
}

export const NO_RETRIES: RetryPolicy = { strategy: 'none' };
