import type { Statement } from '../sql.js';

/**
 * Keeps what a callback said after the end, once, unless the run has so many already.
 * in: run id, attempt, hash, tenant, outcome, result as JSON or null, error info, now, run id, most
 */
const insert =
  'INSERT INTO late_callbacks (run_id, attempt, outcome_hash, tenant_id, outcome, result, error_info, received_at)';

export const KEEP_LATE_CALLBACK: Statement = {
  postgresql: `${insert} SELECT $1, $2::int, $3, $4, $5, $6::jsonb, $7, $8::timestamp
    WHERE (SELECT count(*) FROM late_callbacks WHERE run_id = $9) < $10::int ON CONFLICT DO NOTHING`,
  mysql: `${insert} SELECT ?, ?, ?, ?, ?, ?, ?, ? FROM DUAL
    WHERE (SELECT count(*) FROM late_callbacks l WHERE l.run_id = ?) < ?
    ON DUPLICATE KEY UPDATE late_callbacks.run_id = late_callbacks.run_id`,
};

/** in: effect, run id, attempt, hash */
export const MARK_LATE_CALLBACK: Statement = {
  postgresql: 'UPDATE late_callbacks SET effect = $1 WHERE run_id = $2 AND attempt = $3 AND outcome_hash = $4',
  mysql: 'UPDATE late_callbacks SET effect = ? WHERE run_id = ? AND attempt = ? AND outcome_hash = ?',
};

/**
 * Gives a run that has ended the end that its late callback says. Guarded by status and `exec_id`.
 * in: status, finished at or null, error code, error info, result as JSON or null, run id, exec id, status it has now
 * locks: the run row; the caller holds its task's state row
 */
export const CORRECT_RUN: Statement = {
  postgresql: `UPDATE task_runs SET status = $1, finished_at = $2::timestamp, error_code = $3, error_info = $4,
      result = coalesce($5::jsonb, result) WHERE id = $6 AND exec_id = $7 AND status = $8`,
  mysql: `UPDATE task_runs SET status = ?, finished_at = ?, error_code = ?, error_info = ?, result = coalesce(?, result)
    WHERE id = ? AND exec_id = ? AND status = ?`,
};
