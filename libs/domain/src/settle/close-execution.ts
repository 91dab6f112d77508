import { type FailedAttempt, nextRetry } from '../retry/next-retry.js';
import type { RetryPolicy } from '../task/retry-policy.js';
import type { OnNodeLost } from '../task/words.js';
import type { Verdict } from './classify.js';

/** What a finished execution makes of its run. */
export type Closing =
  | { status: 'SUCCESS' | 'WAITING_CALLBACK' }
  | { status: 'FAILED' | 'TIMEOUT' | 'PENDING'; errorCode: string; errorInfo: string }
  | { status: 'RETRYING'; retryAt: number; errorCode: string; errorInfo: string };

export interface ClosingFacts {
  retryPolicy: RetryPolicy;
  needManual: boolean;
  /** RETRY unless it is said. */
  onNodeLost?: OnNodeLost;
  attempt: number;
  maxAttempts: number;
  httpStatus: number | null;
  retryAfter: string | undefined;
}

/** `now` is epoch milliseconds, `random` a number in [0, 1). */
export function closeExecution(verdict: Verdict, facts: ClosingFacts, now: number, random: number): Closing {
  if (verdict.kind === 'success') return { status: 'SUCCESS' };
  if (verdict.kind === 'accepted') return { status: 'WAITING_CALLBACK' };
  if (verdict.kind === 'canceled') return closeInterrupted(facts, now);
  const [status, errorCode] =
    verdict.kind === 'timeout'
      ? (['TIMEOUT', verdict.errorCode ?? 'TIMEOUT'] as const)
      : (['FAILED', verdict.errorCode] as const);
  const { errorInfo } = verdict;
  const retryable = verdict.kind === 'failed' ? verdict.retryable : undefined;
  const retry = nextRetry(facts.retryPolicy, { ...facts, kind: kindOf(status, errorCode), retryable }, now, random);
  if (retry.kind === 'retry') return { status: 'RETRYING', retryAt: now + retry.delayMs, errorCode, errorInfo };
  return { status: facts.needManual ? 'PENDING' : status, errorCode, errorInfo };
}

/**
 * The worker broke the call off itself: it is stopping, or lost touch with the database. Like a lost worker, this uses up
 * an attempt, but nobody needs to wait for the next one.
 */
function closeInterrupted(facts: ClosingFacts, now: number): Closing {
  const { attempt, needManual } = facts;
  const errorCode = 'NODE_LOST';
  const errorInfo = `the worker stopped before attempt ${attempt} was over`;
  if (mayGoOnAfterLoss(facts)) return { status: 'RETRYING', retryAt: now, errorCode, errorInfo };
  return { status: needManual ? 'PENDING' : 'FAILED', errorCode, errorInfo };
}

/** Whether a run whose worker or agent was lost gets another attempt: one is left, and it may run twice. */
export function mayGoOnAfterLoss({
  attempt,
  maxAttempts,
  onNodeLost,
}: Pick<ClosingFacts, 'attempt' | 'maxAttempts' | 'onNodeLost'>): boolean {
  return attempt < maxAttempts && onNodeLost !== 'FAIL';
}

function kindOf(status: 'TIMEOUT' | 'FAILED', errorCode: string): FailedAttempt['kind'] {
  if (status === 'TIMEOUT') return 'timeout';
  if (errorCode === 'NETWORK') return 'network';
  if (/^(EXIT_|SIGNAL_|COMMAND_)/.test(errorCode)) return 'command';
  return errorCode.startsWith('HTTP_') || errorCode === 'REDIRECT' ? 'status' : 'other';
}
