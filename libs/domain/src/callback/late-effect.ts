import { LATE_TRANSITIONS, type LateFrom, type RunStatus } from '../run/statuses.js';
import type { LatePolicy } from '../task/words.js';
import type { CallbackOutcome } from './outcome.js';

export interface LateFacts {
  policy: LatePolicy;
  outcome: CallbackOutcome;
  status: RunStatus;
  /** Whether the callback's attempt is the run's last one so far. */
  isLastAttempt: boolean;
  /** Whether a late callback has changed the run before. */
  hasChangedRun: boolean;
}

export type LateEffect = { kind: 'record' } | { kind: 'move'; from: LateFrom; to: 'SUCCESS' | 'FAILED' | 'PENDING' };

/**
 * What a callback after the end does to its run, beside being kept. It may speak for a run that ended, or is to be tried
 * again, because nobody had heard from this very attempt; never against a person who cancelled it, nor beside a newer attempt.
 */
export function lateEffect(facts: LateFacts): LateEffect {
  const { policy, status, isLastAttempt, hasChangedRun } = facts;
  if (policy === 'RECORD' || !isLastAttempt || hasChangedRun || !mayMove(status)) return { kind: 'record' };
  const to = policy === 'PENDING' ? 'PENDING' : facts.outcome === 'SUCCESS' ? 'SUCCESS' : 'FAILED';
  // A failure changes nothing where the next attempt is on its way.
  const isPointless = status === 'RETRYING' && facts.outcome === 'FAILURE';
  const isAllowed = (LATE_TRANSITIONS[status] as readonly RunStatus[]).includes(to);
  return isAllowed && !isPointless ? { kind: 'move', from: status, to } : { kind: 'record' };
}

const mayMove = (status: RunStatus): status is LateFrom => Object.hasOwn(LATE_TRANSITIONS, status);
