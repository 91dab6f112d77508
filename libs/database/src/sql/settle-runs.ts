import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

/**
 * Closes executions: RUNNING (or `from_status`) becomes what each of them came to, and each leaves its attempt, unless it has no
 * outcome. Guarded by `exec_id`, so a result of an execution that was replaced, cancelled or taken over changes nothing; and by
 * `seen_wake_at`, if it is given.
 * in: JSON array of {id, exec_id, status, finished_at, wake_at, http_status, error_code, error_info, result, tenant_id,
 *   attempt, node, outcome, began_at, ended_at, request, response, from_status, seen_wake_at}; MySQL needs only what guards them:
 *   {id, exec_id, from_status, seen_wake_at}
 * out: ids of the runs that were closed by this; on MySQL: that are to be
 * locks: the run rows; the caller holds their task rows already
 *
 * PostgreSQL does it in one statement. MySQL cannot say which rows an UPDATE met: it locks and reads them, then writes
 * the attempts of those that are still RUNNING, then closes them. And it looks for each column of a JSON_TABLE from the beginning of
 * its row, so that long texts must not be in there.
 */
const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
const guarded = `JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', exec_id ${text(36)} PATH '$.exec_id',
    from_status ${text(24)} PATH '$.from_status', seen_wake_at datetime(3) PATH '$.seen_wake_at')) AS v
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id
    AND r.status = coalesce(v.from_status, 'RUNNING') AND (v.seen_wake_at IS NULL OR r.wake_at = v.seen_wake_at)`;
const attemptColumns = `run_id, attempt, tenant_id, exec_id, node, outcome, started_at, finished_at, request, response, http_status,
    error_code, error_info`;

export const SETTLE_RUNS: Statement = {
  postgresql: `WITH v AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36),
      status varchar(24), finished_at timestamp, wake_at timestamp, http_status smallint, error_code varchar(64),
      error_info text, result jsonb, tenant_id varchar(64), attempt int, node varchar(64), outcome varchar(24),
      began_at timestamp, ended_at timestamp, request json, response json, from_status varchar(24), seen_wake_at timestamp)),
    closed AS (UPDATE task_runs r SET status = v.status, finished_at = v.finished_at, wake_at = v.wake_at,
        http_status = v.http_status, error_code = v.error_code, error_info = v.error_info, result = v.result
      FROM v WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = coalesce(v.from_status, 'RUNNING')
        AND (v.seen_wake_at IS NULL OR r.wake_at = v.seen_wake_at) RETURNING r.id),
    attempts AS (INSERT INTO run_attempts (${attemptColumns}) SELECT v.id, v.attempt,
        v.tenant_id, v.exec_id, v.node, v.outcome, v.began_at, v.ended_at, v.request, v.response, v.http_status, v.error_code, v.error_info
      FROM v JOIN closed ON closed.id = v.id
      WHERE v.outcome IS NOT NULL)
    SELECT id FROM closed`,
  mysql: `SELECT r.id FROM ${guarded} ${forUpdateOf('r')}`,
};

/** Rows of attempts: the values of their columns, in their order. No HTTP status is 0, so that it is always a number. */
export const LEAVE_ATTEMPTS = `INSERT INTO run_attempts (${attemptColumns}) VALUES`;
export const ATTEMPT_ROW = `(${attemptColumns.replace(/\w+/g, (name) => (name === 'http_status' ? 'NULLIF(?, 0)' : '?'))})`;

/** in: JSON array of {id, status, finished_at, wake_at, http_status, error_code, error_info, result}; the caller holds the runs */
export const CLOSE_RUNS_MYSQL = `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', status varchar(24) PATH '$.status',
    finished_at datetime(3) PATH '$.finished_at', wake_at datetime(3) PATH '$.wake_at', http_status smallint PATH '$.http_status',
    error_code varchar(64) PATH '$.error_code', error_info text PATH '$.error_info', result json PATH '$.result')) AS v
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
  SET r.status = v.status, r.finished_at = v.finished_at, r.wake_at = v.wake_at, r.http_status = v.http_status,
    r.error_code = v.error_code, r.error_info = v.error_info, r.result = v.result`;

/**
 * Writes down which callbacks closed their attempts, in the transaction that closes them.
 * in: JSON array of {id, attempt, callback_outcome, callback_hash, ended_at}
 */
export const HEAR_CALLBACKS: Statement = {
  postgresql: `UPDATE run_callbacks c SET outcome = v.callback_outcome, outcome_hash = v.callback_hash, received_at = v.ended_at
    FROM json_to_recordset($1::json) AS v(id varchar(64), attempt int, callback_outcome varchar(8), callback_hash char(64),
      ended_at timestamp)
    WHERE c.run_id = v.id AND c.attempt = v.attempt`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', attempt int PATH '$.attempt',
      callback_outcome varchar(8) PATH '$.callback_outcome', callback_hash char(64) PATH '$.callback_hash',
      ended_at datetime(3) PATH '$.ended_at')) AS v
    STRAIGHT_JOIN run_callbacks c FORCE INDEX (PRIMARY) ON c.run_id = v.id AND c.attempt = v.attempt
    SET c.outcome = v.callback_outcome, c.outcome_hash = v.callback_hash, c.received_at = v.ended_at`,
};
