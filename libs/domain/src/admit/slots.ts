import type { ConcurrencyPolicy } from '../task/words.js';

/** A task's slots: how many are taken, how many runs wait for one, and what the task says about them. */
export interface SlotFacts {
  activeRuns: number;
  queuedRuns: number;
  maxConcurrency: number;
  concurrencyPolicy: ConcurrencyPolicy;
}

export const isUnlimited = ({ maxConcurrency, concurrencyPolicy }: SlotFacts): boolean =>
  maxConcurrency === 0 || concurrencyPolicy === 'PARALLEL';

/** Somebody who waits already comes first, even when a slot is free. */
export const hasFreeSlot = (facts: SlotFacts): boolean =>
  isUnlimited(facts) || (facts.activeRuns < facts.maxConcurrency && facts.queuedRuns === 0);

/** How many waiting runs the free slots can take. */
export function releasable(facts: SlotFacts): number {
  const free = isUnlimited(facts) ? Infinity : facts.maxConcurrency - facts.activeRuns;
  return Math.max(0, Math.min(facts.queuedRuns, free));
}
