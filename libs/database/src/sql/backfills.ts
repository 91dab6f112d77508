import type { Statement } from '../sql.js';

const columns = `id, tenant_id, task_id, status, cron_expr, timezone, max_parallel, cursor_at, last_at, created_runs, existing_runs,
  succeeded_runs, failed_runs, canceled_runs, open_runs, trace_id FROM backfills`;

/**
 * Takes a backfill that still has something to do, to bring it a step on.
 * in: id
 * locks: its row, or nothing if another scheduler is at it. Before the task's state row: nobody locks them the other way round
 */
export const TAKE_BACKFILL: Statement = {
  postgresql: `SELECT ${columns} WHERE id = $1 AND finished_at IS NULL FOR UPDATE SKIP LOCKED`,
  mysql: `SELECT ${columns} WHERE id = ? AND finished_at IS NULL FOR UPDATE SKIP LOCKED`,
};

/** The same, waiting for it, to call it off. in: id, tenant */
export const HOLD_BACKFILL: Statement = {
  postgresql: `SELECT ${columns} WHERE id = $1 AND tenant_id = $2 AND finished_at IS NULL FOR UPDATE`,
  mysql: `SELECT ${columns} WHERE id = ? AND tenant_id = ? AND finished_at IS NULL FOR UPDATE`,
};

/**
 * Writes down how far it has come. The caller holds the row.
 * in: status, cursor, created, existing, succeeded, failed, canceled, JSON array of open run ids, now, end or null, id
 */
export const SAVE_BACKFILL: Statement = {
  postgresql: `UPDATE backfills SET status = $1, cursor_at = $2, created_runs = $3, existing_runs = $4, succeeded_runs = $5,
    failed_runs = $6, canceled_runs = $7, open_runs = $8::jsonb, updated_at = $9, finished_at = $10 WHERE id = $11`,
  mysql: `UPDATE backfills SET status = ?, cursor_at = ?, created_runs = ?, existing_runs = ?, succeeded_runs = ?,
    failed_runs = ?, canceled_runs = ?, open_runs = ?, updated_at = ?, finished_at = ? WHERE id = ?`,
};
