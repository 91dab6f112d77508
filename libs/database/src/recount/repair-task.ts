import { type EndedRun, LOST_AFTER_MS, type Problem, rememberEnded } from '#domain';
import { closeCanceled, holdUnfinished, TASK_DELETED } from '../runs/cancel-runs.js';
import { freeSlots, type ReleasedRun } from '../runs/free-slots.js';
import { setAlarms } from '../runs/set-alarms.js';
import { NEWEST_ENDED_RUN, REMEMBER_ENDED_RUN, SET_COUNTERS, WAKE_RUNS } from '../sql/recount-task.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import type { HeldTask } from './held-task.js';

interface EndedRow {
  id: string;
  status: EndedRun['status'];
  tick_attempt: number;
}

/** Puts right what was found. The caller holds the task. */
export async function repairTask(
  sql: Sql,
  held: HeldTask,
  found: readonly Problem[],
  now: number,
): Promise<ReleasedRun[]> {
  const released: ReleasedRun[] = [];
  for (const problem of found) released.push(...(await repair(sql, held, problem, now)));
  return released;
}

async function repair(sql: Sql, held: HeldTask, problem: Problem, now: number): Promise<ReleasedRun[]> {
  switch (problem.kind) {
    case 'no_state':
      return [];
    case 'deleted_task':
      await cancelLeftOver(sql, held, now);
      return [];
    case 'counters':
      await sql.run(SET_COUNTERS, problem.is.active, problem.is.queued, held.task.id);
      return [];
    case 'no_alarm':
      await wake(sql, held, now);
      return [];
    case 'waiting':
      return freeSlots(sql, [recounted(held)], new Map(), now);
    case 'failure_facts':
      await rememberRight(sql, held.task.id);
      return [];
  }
}

const recounted = ({ task, slotRuns, queuedRuns }: HeldTask) => ({
  ...task,
  active_runs: slotRuns.length,
  queued_runs: queuedRuns.length,
});

async function cancelLeftOver(sql: Sql, { slotRuns, queuedRuns }: HeldTask, now: number): Promise<void> {
  const runs = await holdUnfinished(sql, [...slotRuns.map((run) => run.id), ...queuedRuns]);
  await closeCanceled(sql, runs, () => TASK_DELETED, now);
}

/** As late as for a run whose dispatch may be lost: a worker that has it keeps its lease meanwhile. */
async function wake(sql: Sql, { asleep }: HeldTask, now: number): Promise<void> {
  const at = now + LOST_AFTER_MS;
  await sql.run(WAKE_RUNS, JSON.stringify(asleep.map((run) => run.id)), sqlTime(at));
  await setAlarms(
    sql,
    asleep.map((run) => ({ runId: run.id, at: run.wake_at?.getTime() ?? at })),
  );
}

async function rememberRight(sql: Sql, taskId: bigint): Promise<void> {
  const rows = await sql.rows<EndedRow>(NEWEST_ENDED_RUN, taskId, taskId);
  const ended = rows.map(({ id, status, tick_attempt: tickAttempt }) => ({ id, status, tickAttempt }));
  const nothing = { lastEndedRunId: null, failedTickAttempt: null, failureSkipped: false };
  const { lastEndedRunId, failedTickAttempt } = rememberEnded(nothing, ended);
  await sql.run(REMEMBER_ENDED_RUN, lastEndedRunId, failedTickAttempt, taskId);
}
