import { CANCEL_RUNS } from '../sql/cancel-runs.js';
import { TAKE_COLD_RUNS_OF_TASK } from '../sql/cold-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { type ColdRow, dropColdRows } from './take-cold-runs.js';

const CHUNK = 1000;

/**
 * Cancels the cold runs of a task that is being deleted; the caller holds its state row. A run that somebody is admitting
 * right now is theirs: they wait for the task, find it deleted, and cancel the run.
 */
export async function cancelColdRuns(sql: Sql, taskId: bigint, now: Date): Promise<void> {
  let rows: ColdRow[];
  do {
    rows = await sql.rows<ColdRow>(TAKE_COLD_RUNS_OF_TASK, taskId, CHUNK);
    if (rows.length === 0) return;
    const ids = JSON.stringify(rows.map((row) => row.run_id));
    await sql.run(CANCEL_RUNS, ids, sqlTime(now), 'TASK_DELETED');
    await dropColdRows(sql, rows);
  } while (rows.length === CHUNK);
}
