import type { SkipReason } from '../run/statuses.js';
import { transitionNote } from '../schedule/index.js';
import type { ExplainFacts, Explanation, RunFact } from './explanation.js';
import { shown } from './shown.js';

const REASONS: Record<SkipReason, string> = {
  OVERLAP: 'an earlier run was not finished (overlap_action)',
  FAILURE: 'the run before it had failed (failure_action)',
  CONCURRENCY: 'all slots were taken (concurrency_policy SKIP)',
  QUEUE_FULL: 'all slots were taken and the line was full (queue_limit)',
  LATE: 'it could not start in time (max_lateness_seconds)',
  MISSED: 'nothing was scheduling when it was due',
};

/** What a row says: the second's own, or the one of a gap it belongs to. */
export function explainRow<Run extends RunFact>(run: Run, facts: ExplainFacts<Run>): Explanation<Run> {
  if (run.skipReason === 'MISSED') return { answer: 'MISSED', detail: missed(run), run };
  if (run.skipReason !== null) return { answer: 'SKIPPED', detail: skipped(run, run.skipReason), run };
  return { answer: 'FIRED', detail: fired(run, facts), run };
}

function missed({ missedFrom, missedCount, scheduledTime }: RunFact): string {
  const why = 'Nothing was scheduling when this second was due, and it was not caught up with (catch_up_mode)';
  if (missedFrom === null) return `${why}.`;
  return `${why}: ${seconds(missedCount)} from ${shown(missedFrom)} to ${shown(scheduledTime)}.`;
}

function skipped({ id, blockedBy }: RunFact, reason: SkipReason): string {
  const by = blockedBy === null ? '' : `; run ${blockedBy} stood in the way`;
  return `Run ${id} was skipped: ${REASONS[reason]}${by}.`;
}

function fired(run: RunFact, { at, schedule }: ExplainFacts): string {
  if (run.scheduledTime !== at && run.missedFrom !== null) {
    return `One run stands for this and the other missed seconds (catch_up_mode COMPACT): ${run.id}, ${run.status}.`;
  }
  const note = schedule === null ? undefined : transitionNote(schedule, at);
  return `Run ${run.id} is ${run.status}.${note === undefined ? '' : ` ${note}`}`;
}

const seconds = (count: number | null): string => (count === 1 ? 'one due second' : `${count ?? 'all'} due seconds`);
