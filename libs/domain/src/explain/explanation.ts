import type { RunStatus, RunTrigger, SkipReason } from '../run/statuses.js';
import type { Schedule } from '../schedule/index.js';

export const EXPLAIN_ANSWERS = [
  'FIRED',
  'SKIPPED',
  'MISSED',
  'NOT_DUE',
  'DST_GAP',
  'DST_FOLD',
  'DISABLED',
  'FORGOTTEN',
] as const;
export type ExplainAnswer = (typeof EXPLAIN_ANSWERS)[number];

/** What a run row says about a second. Times are epoch seconds. */
export interface RunFact {
  id: string;
  trigger: RunTrigger;
  status: RunStatus;
  skipReason: SkipReason | null;
  blockedBy: string | null;
  scheduledTime: number;
  missedFrom: number | null;
  missedCount: number | null;
}

/** All that is known about a task and one second. Times are epoch seconds. */
export interface ExplainFacts<Run extends RunFact = RunFact> {
  at: number;
  now: number;
  /** Null: the task runs on demand. */
  schedule: Schedule | null;
  enabled: boolean;
  createdAt: number;
  /** When the definition was last changed, which also pausing does. */
  changedAt: number;
  startAt: number | null;
  endAt: number | null;
  nextFireAt: number | null;
  /** Runs of seconds before it may have been deleted; null: none was. */
  forgottenBefore?: number | null;
  /** The second's own row. */
  run: Run | null;
  /** The next row that stands for several seconds; it may or may not reach back to this one. */
  gap: Run | null;
}

export interface Explanation<Run extends RunFact = RunFact> {
  answer: ExplainAnswer;
  /** One sentence for a person. */
  detail: string;
  /** The row the answer comes from. */
  run?: Run;
  nextDue?: number;
}
