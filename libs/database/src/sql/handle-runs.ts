import type { Statement } from '../sql.js';

/**
 * The run a person decides about, whatever its state.
 * in: run id, tenant
 * locks: its row, after its task's state row where that is held
 */
export const HOLD_RUN: Statement = {
  postgresql:
    'SELECT id, task_id, status, priority, trigger FROM task_runs WHERE id = $1 AND tenant_id = $2 FOR UPDATE',
  mysql: 'SELECT id, task_id, status, priority, `trigger` FROM task_runs WHERE id = ? AND tenant_id = ? FOR UPDATE',
};

/** How a run ended that is archived. in: run id, tenant */
export const ARCHIVED_STATUS: Statement = {
  postgresql: 'SELECT status FROM run_archive WHERE id = $1 AND tenant_id = $2',
  mysql: 'SELECT status FROM run_archive WHERE id = ? AND tenant_id = ?',
};

/**
 * Keeps what a person did, before it is done: the payload that is about to be replaced is copied from the run.
 * in: action, who or null, now, remark or null, whether the payload is edited, the same again, run id
 * locks: none; the caller holds the run
 */
const handling = `INSERT INTO run_handlings (run_id, tenant_id, attempt, action, "by", at, remark, payload_edited, previous_payload)
  SELECT r.id, r.tenant_id, r.attempt,`;

export const KEEP_HANDLING: Statement = {
  postgresql: `${handling} $1, $2, $3::timestamp, $4, $5::boolean, CASE WHEN $6::boolean THEN r.payload END FROM task_runs r
    WHERE r.id = $7`,
  mysql: `${handling.replace('"by"', '`by`')} ?, ?, ?, ?, ?, CASE WHEN ? THEN r.payload END FROM task_runs r WHERE r.id = ?`,
};

/** PENDING becomes MANUALLY_PROCESSED. in: now, remark, result as JSON or null for the one it has, run id */
export const RESOLVE_RUN: Statement = {
  postgresql: `UPDATE task_runs SET status = 'MANUALLY_PROCESSED', finished_at = $1, remark = $2, result = coalesce($3::jsonb, result)
    WHERE id = $4 AND status = 'PENDING'`,
  mysql: `UPDATE task_runs SET status = 'MANUALLY_PROCESSED', finished_at = ?, remark = ?, result = coalesce(?, result)
    WHERE id = ? AND status = 'PENDING'`,
};

/**
 * PENDING becomes RETRYING, with one attempt more than it was allowed before.
 * in: when to ask whether the queue has lost it, payload as JSON or null for the one it has, remark or null for the same, run id
 */
export const RETRY_RUN: Statement = {
  postgresql: `UPDATE task_runs SET status = 'RETRYING', max_attempts = greatest(max_attempts, attempt) + 1, wake_at = $1,
      payload = coalesce($2::jsonb, payload), remark = coalesce($3, remark)
    WHERE id = $4 AND status = 'PENDING'`,
  mysql: `UPDATE task_runs SET status = 'RETRYING', max_attempts = greatest(max_attempts, attempt) + 1, wake_at = ?,
      payload = coalesce(?, payload), remark = coalesce(?, remark)
    WHERE id = ? AND status = 'PENDING'`,
};

/** Takes a slot of the task, whose state row the caller holds. in: task id */
export const TAKE_SLOT: Statement = {
  postgresql: 'UPDATE task_states SET active_runs = active_runs + 1 WHERE task_id = $1',
  mysql: 'UPDATE task_states SET active_runs = active_runs + 1 WHERE task_id = ?',
};
