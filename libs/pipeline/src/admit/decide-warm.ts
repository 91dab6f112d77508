import type { ColdRun, TakenColdRuns, TaskAdvance, TaskFacts, WarmedRun } from '#database';
import { admit, type DemandVerdict, isCold, isLate, LOST_AFTER_MS, skipped, startBefore } from '#domain';
import { maxAttemptsOf } from './decide-orders.js';
import { Tally } from './tally.js';

export interface WarmDecision {
  runs: WarmedRun[];
  /** Ids of those that are not to be admitted before they start. */
  left: Set<string>;
  advances: TaskAdvance[];
}

/**
 * Cold runs that start soon are admitted as if they were asked for now, by their tasks as they are now, or are left cold until they
 * start. What is late already asks for no slot; what has lost its task is called off.
 */
export function decideWarm({ runs, tasks }: Pick<TakenColdRuns, 'runs' | 'tasks'>, now: number): WarmDecision {
  const tally = new Tally(tasks, now);
  const [warmed, left] = [[] as WarmedRun[], new Set<string>()];
  for (const run of runs) {
    const task = tally.facts(run.taskId);
    if (task === undefined) warmed.push(canceled(run, now));
    else if (isCold(run.scheduledTime, now, task)) left.add(run.id);
    else {
      const verdict = verdictOf(task, run, now);
      tally.count(task, verdict, run.id);
      warmed.push(admitted(run, task, verdict, now));
    }
  }
  return { runs: warmed, left, advances: tally.advances() };
}

function verdictOf(task: TaskFacts, { scheduledTime }: ColdRun, now: number): DemandVerdict {
  const late = isLate(startBefore(scheduledTime, task.maxLatenessSeconds), now);
  return late ? skipped(task, 'LATE') : admit(task, 'on_demand');
}

const STATUSES = { run: 'SCHEDULED', queue: 'QUEUED', skip: 'SKIPPED' } as const;

function admitted(
  { id, taskId, scheduledTime }: ColdRun,
  task: TaskFacts,
  verdict: DemandVerdict,
  now: number,
): WarmedRun {
  return {
    id,
    taskId,
    status: STATUSES[verdict.kind],
    skipReason: verdict.kind === 'skip' ? verdict.reason : null,
    wakeAt: verdict.kind === 'run' ? Math.max(now, scheduledTime) + LOST_AFTER_MS : null,
    startBefore: startBefore(scheduledTime, task.maxLatenessSeconds),
    maxAttempts: maxAttemptsOf(task),
    finishedAt: verdict.kind === 'skip' ? now : null,
    errorCode: null,
  };
}

function canceled({ id, taskId }: ColdRun, now: number): WarmedRun {
  return {
    ...{ id, taskId, status: 'CANCELED', skipReason: null, wakeAt: null, startBefore: null, maxAttempts: 1 },
    ...{ finishedAt: now, errorCode: 'TASK_DELETED' },
  };
}
