import { admit, type AdmitFacts, countVerdict, type DemandVerdict } from '../admit/index.js';

/** A due second, and what is on record for it: nothing, a row that says it was missed, or a run. */
export interface BackfillSecond {
  at: number;
  record: 'none' | 'missed' | 'run';
}

export interface BackfillStep {
  admitted: { second: BackfillSecond; verdict: Exclude<DemandVerdict, { kind: 'skip' }> }[];
  /** Seconds that have their run already. */
  existing: number;
  /** The last second that is decided. */
  cursor: number;
}

/**
 * The next runs of a backfill, in order, as long as there is `room`. Under the task's concurrency policy like a run on
 * demand; but where that would be skipped, a backfill waits: its seconds do not run away.
 */
export function stepBackfill(
  seconds: readonly BackfillSecond[],
  given: AdmitFacts,
  { room, cursor }: { room: number; cursor: number },
): BackfillStep {
  const step: BackfillStep = { admitted: [], existing: 0, cursor };
  let facts = given;
  for (const second of seconds) {
    if (second.record === 'run') step.existing += 1;
    else {
      const verdict = step.admitted.length < room ? admit(facts, 'on_demand') : null;
      if (verdict === null || verdict.kind === 'skip') break;
      facts = countVerdict(facts, verdict);
      step.admitted.push({ second, verdict });
    }
    step.cursor = second.at;
  }
  return step;
}
