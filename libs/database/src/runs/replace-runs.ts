import type { Sql } from '../sql.js';
import { closeCanceled, findUnfinished, holdUnfinished, leavingRun, type UnfinishedRun } from './cancel-runs.js';
import { freeSlots, leavingOf, lockTasks } from './free-slots.js';

/** A run that takes the place of every other unfinished run of its task. */
export interface Replacement {
  taskId: bigint;
  by: string;
  /** Runs of the same transaction that it replaces. */
  inBatch: string[];
  /** How many others there are. */
  stored: number;
  /** The task's newest run: where there is one other, it is most likely this one. */
  likely: string | null;
}

/**
 * Cancels what is replaced. The caller holds the tasks, has written the new runs, and moves the counters itself; then
 * `rememberReplaced`.
 */
export async function replaceRuns(
  sql: Sql,
  replacements: readonly Replacement[],
  now: number,
): Promise<UnfinishedRun[]> {
  if (replacements.length === 0) return [];
  const ids = await replacedIds(sql, replacements, now);
  const by = new Map(replacements.map((one) => [one.taskId, one.by]));
  const runs = await holdUnfinished(sql, ids);
  const reasonOf = ({ task_id: taskId }: UnfinishedRun) => ({
    errorCode: 'REPLACED',
    errorInfo: `replaced by run ${by.get(taskId)}`,
  });
  await closeCanceled(sql, runs, reasonOf, now);
  return runs;
}

/** Nearly always the one other run is the task's newest, so that all tasks are asked at once; the others one by one. */
async function replacedIds(sql: Sql, replacements: readonly Replacement[], now: number): Promise<string[]> {
  const likely = await holdUnfinished(
    sql,
    replacements.flatMap(({ stored, likely: id }) => (stored === 1 && id !== null ? [id] : [])),
  );
  const found = new Set(
    likely.filter((run) => run.status !== 'SCHEDULED' || run.wake_at !== null).map((run) => run.id),
  );
  const ids = replacements.flatMap((one) => one.inBatch);
  for (const { taskId, by, inBatch, stored, likely: id } of replacements) {
    if (stored === 0) continue;
    if (stored === 1 && id !== null && found.has(id)) ids.push(id);
    else
      ids.push(
        ...(await findUnfinished(sql, taskId, stored + inBatch.length + 1, now)).filter((other) => other !== by),
      );
  }
  return ids;
}

/** Lets the tasks remember those that had been executed. Once the caller has moved the counters. */
export async function rememberReplaced(sql: Sql, runs: readonly UnfinishedRun[], now: number): Promise<void> {
  const ended = runs.map((run) => ({ ...leavingRun(run), slot: false, place: false })).filter((run) => run.ended);
  if (ended.length === 0) return;
  const tasks = await lockTasks(
    sql,
    ended.map((run) => run.taskId),
  );
  await freeSlots(sql, tasks, leavingOf(ended), now);
}
