import type { SkipReason } from '../run/statuses.js';
import type { ConcurrencyPolicy, OverlapAction } from '../task/words.js';

/** What stands in a new run's way: the task's counters, and what it says about them. */
export interface AdmitFacts {
  activeRuns: number;
  queuedRuns: number;
  maxConcurrency: number;
  concurrencyPolicy: ConcurrencyPolicy;
  queueLimit: number;
  overlapAction: OverlapAction;
}

export type AdmitVerdict = { kind: 'run' } | { kind: 'queue' } | { kind: 'skip'; reason: SkipReason };

/** Overlap first, then concurrency. A run on demand passes overlap: it is about ticks meeting ticks. */
export function admit(facts: AdmitFacts, tick: 'cron' | 'on_demand'): AdmitVerdict {
  const unfinished = facts.activeRuns + facts.queuedRuns > 0;
  if (tick === 'cron' && unfinished) {
    if (facts.overlapAction === 'SKIP') return { kind: 'skip', reason: 'OVERLAP' };
    if (facts.overlapAction === 'PARALLEL') return { kind: 'run' };
  }
  return hasFreeSlot(facts) ? { kind: 'run' } : withoutSlot(facts);
}

/** Somebody who waits already comes first, even when a slot is free. */
function hasFreeSlot({ activeRuns, queuedRuns, maxConcurrency, concurrencyPolicy }: AdmitFacts): boolean {
  if (maxConcurrency === 0 || concurrencyPolicy === 'PARALLEL') return true;
  return activeRuns < maxConcurrency && queuedRuns === 0;
}

function withoutSlot({ concurrencyPolicy, queuedRuns, queueLimit }: AdmitFacts): AdmitVerdict {
  if (concurrencyPolicy === 'SKIP') return { kind: 'skip', reason: 'CONCURRENCY' };
  return queuedRuns < queueLimit ? { kind: 'queue' } : { kind: 'skip', reason: 'QUEUE_FULL' };
}

/** The facts the next tick of the same task sees. */
export function countVerdict<Facts extends AdmitFacts>(facts: Facts, verdict: AdmitVerdict): Facts {
  switch (verdict.kind) {
    case 'run':
      return { ...facts, activeRuns: facts.activeRuns + 1 };
    case 'queue':
      return { ...facts, queuedRuns: facts.queuedRuns + 1 };
    case 'skip':
      return facts;
  }
}

/** How many waiting runs the free slots can take. */
export function releasable(
  facts: Pick<AdmitFacts, 'activeRuns' | 'queuedRuns' | 'maxConcurrency' | 'concurrencyPolicy'>,
): number {
  const unlimited = facts.maxConcurrency === 0 || facts.concurrencyPolicy === 'PARALLEL';
  const free = unlimited ? Infinity : facts.maxConcurrency - facts.activeRuns;
  return Math.max(0, Math.min(facts.queuedRuns, free));
}
