import { releasable } from '../admit/slots.js';
import type { ConcurrencyPolicy } from '../task/words.js';

export interface Counters {
  active: number;
  queued: number;
}

/** What a task's state row says, and what its runs say when they are counted, both in the same moment. */
export interface TaskRecount {
  deleted: boolean;
  maxConcurrency: number;
  concurrencyPolicy: ConcurrencyPolicy;
  stored: Counters;
  counted: Counters;
  /** Runs that hold a slot, but nobody would ever look at them: no alarm, or no time to wake at. */
  asleep: string[];
  /** Whether the run it remembers as its last ended one was never executed, or is another task's. */
  remembersWrong: boolean;
}

/** One thing that is wrong with a task. */
export type Problem =
  | { kind: 'no_state' }
  | { kind: 'deleted_task'; runs: number }
  | { kind: 'counters'; was: Counters; is: Counters }
  | { kind: 'no_alarm'; runs: string[] }
  | { kind: 'waiting'; runs: number }
  | { kind: 'failure_facts' };

export const PROBLEM_KINDS = [
  'no_state',
  'deleted_task',
  'counters',
  'no_alarm',
  'waiting',
  'failure_facts',
] as const satisfies Problem['kind'][];

const NONE: Counters = { active: 0, queued: 0 };

/** Everything that is wrong with a task, in the order it is put right. */
export function diagnose(task: TaskRecount): Problem[] {
  const problems: Problem[] = task.deleted ? ofDeleted(task) : ofLive(task);
  if (task.remembersWrong) problems.push({ kind: 'failure_facts' });
  return problems;
}

function ofLive(task: TaskRecount): Problem[] {
  const problems = ofCounters(task.stored, task.counted);
  if (task.asleep.length > 0) problems.push({ kind: 'no_alarm', runs: task.asleep });
  const runs = releasable({ ...task, activeRuns: task.counted.active, queuedRuns: task.counted.queued });
  if (runs > 0) problems.push({ kind: 'waiting', runs });
  return problems;
}

/** Deleting a task cancels its runs: whatever it still has is left over. */
function ofDeleted({ stored, counted }: TaskRecount): Problem[] {
  const runs = counted.active + counted.queued;
  return [...(runs > 0 ? [{ kind: 'deleted_task', runs } as const] : []), ...ofCounters(stored, NONE)];
}

function ofCounters(was: Counters, is: Counters): Problem[] {
  return was.active === is.active && was.queued === is.queued ? [] : [{ kind: 'counters', was, is }];
}
