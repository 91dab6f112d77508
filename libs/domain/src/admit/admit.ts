import type { SkipReason } from '../run/statuses.js';
import type { OverlapAction } from '../task/words.js';
import { type FailureFacts, skippedTickAttempt, skipsForFailure, tickAttemptOf } from './failure.js';
import { hasFreeSlot, type SlotFacts } from './slots.js';

/** What stands in a new run's way: the task's counters, what it remembers, and what it says about them. */
export interface AdmitFacts extends SlotFacts, FailureFacts {
  queueLimit: number;
  overlapAction: OverlapAction;
}

export type AdmitVerdict =
  | { kind: 'run'; tickAttempt: number }
  /** Every unfinished run of the task is cancelled, and this one runs. */
  | { kind: 'replace'; tickAttempt: number }
  | { kind: 'queue'; tickAttempt: number }
  | { kind: 'skip'; reason: SkipReason; tickAttempt: number };

/** Whether a tick of the task asks if another run is unfinished. */
export const ticksMind = ({ overlapAction }: Pick<AdmitFacts, 'overlapAction'>): boolean =>
  overlapAction === 'SKIP' || overlapAction === 'CANCEL_PREV';

/** What can become of a run on demand. */
export type DemandVerdict = Exclude<AdmitVerdict, { kind: 'replace' }>;

/**
 * Overlap first, then failure, then concurrency; a tick that is skipped cancels nobody. A run on demand only asks for a
 * slot: overlap and failure are about ticks meeting ticks.
 */
export function admit(facts: AdmitFacts, tick: 'on_demand'): DemandVerdict;
export function admit(facts: AdmitFacts, tick: 'cron' | 'on_demand'): AdmitVerdict;
export function admit(facts: AdmitFacts, tick: 'cron' | 'on_demand'): AdmitVerdict {
  if (tick === 'on_demand') return intoSlots({ ...facts, failedTickAttempt: null }, 1);
  const overlap = facts.activeRuns + facts.queuedRuns > 0 ? facts.overlapAction : 'ALLOW';
  if (overlap === 'SKIP') return skipped(facts, 'OVERLAP');
  if (skipsForFailure(facts)) return skipped(facts, 'FAILURE');
  const tickAttempt = tickAttemptOf(facts);
  if (overlap === 'CANCEL_PREV') return { kind: 'replace', tickAttempt };
  if (overlap === 'PARALLEL') return { kind: 'run', tickAttempt };
  return intoSlots(facts, tickAttempt);
}

export const skipped = (facts: FailureFacts, reason: SkipReason): DemandVerdict => ({
  kind: 'skip',
  reason,
  tickAttempt: skippedTickAttempt(facts),
});

function intoSlots(facts: AdmitFacts, tickAttempt: number): DemandVerdict {
  if (hasFreeSlot(facts)) return { kind: 'run', tickAttempt };
  const { concurrencyPolicy, queuedRuns, queueLimit } = facts;
  if (concurrencyPolicy === 'SKIP') return skipped(facts, 'CONCURRENCY');
  return queuedRuns < queueLimit ? { kind: 'queue', tickAttempt } : skipped(facts, 'QUEUE_FULL');
}

/** The facts the next tick of the same task sees. */
export function countVerdict<Facts extends AdmitFacts>(facts: Facts, verdict: AdmitVerdict): Facts {
  switch (verdict.kind) {
    case 'run':
      return { ...facts, activeRuns: facts.activeRuns + 1 };
    case 'replace':
      return { ...facts, activeRuns: 1, queuedRuns: 0 };
    case 'queue':
      return { ...facts, queuedRuns: facts.queuedRuns + 1 };
    case 'skip':
      return verdict.reason === 'FAILURE' ? { ...facts, failureSkipped: true } : facts;
  }
}
