import type { Database } from '../client.js';
import { TAKE_COLD_RUN, TAKE_COLD_RUNS_OF_TASK } from '../sql/cold-runs.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { closeCanceled, holdUnfinished, TASK_DELETED, type UnfinishedRun } from './cancel-runs.js';
import { type ColdRow, dropColdRows } from './take-cold-runs.js';

const CHUNK = 1000;

export interface CanceledColdRuns {
  canceled: UnfinishedRun[];
  /** Whether there may be more. */
  areLeft: boolean;
}

/**
 * Cancels cold runs of a task that is being deleted, the first thousand. A run that somebody is
 * admitting right now is theirs: they wait for the task, find it deleted, and cancel the run.
 */
export async function cancelColdRuns(sql: Sql, taskId: bigint, now: number): Promise<CanceledColdRuns> {
  const rows = await sql.rows<ColdRow>(TAKE_COLD_RUNS_OF_TASK, taskId, CHUNK);
  if (rows.length === 0) return { canceled: [], areLeft: false };
  const canceled = await holdUnfinished(
    sql,
    rows.map((row) => row.run_id),
  );
  await closeCanceled(sql, canceled, () => TASK_DELETED, now);
  await dropColdRows(sql, rows);
  return { canceled, areLeft: rows.length === CHUNK };
}

/** Forgets when a run was to start that has been called off. Whoever is admitting it right now forgets it themselves. */
export async function forgetColdRun(sql: Sql, taskId: bigint, runId: string): Promise<void> {
  const rows = await sql.rows<ColdRow>(TAKE_COLD_RUN, taskId, runId);
  await dropColdRows(sql, rows);
}

/**
 * All that are left, of a task that is deleted already, some at a time: there may be more than one transaction should hold. What is left
 * behind by a crash is cancelled when its time comes.
 */
export async function* cancelLeftColdRuns(database: Database, taskId: bigint, now: number) {
  for (let areLeft = true; areLeft;) {
    const some = await inSqlTransaction(database, (sql) => cancelColdRuns(sql, taskId, now));
    yield some.canceled;
    areLeft = some.areLeft;
  }
}
