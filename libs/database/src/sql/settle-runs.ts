import type { Statement } from '../sql.js';

/**
 * Closes executions: RUNNING becomes what each of them came to. Guarded by `exec_id`, so a result of an execution that was
 * replaced, cancelled or taken over changes nothing.
 * in: JSON array of {id, exec_id, status, finished_at, wake_at, http_status, error_code, error_info, result}
 * out: ids of the runs that were closed by this
 * locks: the run rows; the caller holds their task rows already
 */
export const SETTLE_RUNS_POSTGRESQL = `UPDATE task_runs r SET status = v.status, finished_at = v.finished_at, wake_at = v.wake_at,
    http_status = v.http_status, error_code = v.error_code, error_info = v.error_info, result = v.result
  FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36), status varchar(24), finished_at timestamp,
    wake_at timestamp, http_status smallint, error_code varchar(64), error_info text, result jsonb)
  WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'
  RETURNING r.id`;

const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
    exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id', status varchar(24) PATH '$.status',
    finished_at datetime(3) PATH '$.finished_at', wake_at datetime(3) PATH '$.wake_at', http_status smallint PATH '$.http_status',
    error_code varchar(64) PATH '$.error_code', error_info text PATH '$.error_info', result json PATH '$.result')) AS v
  JOIN task_runs r ON r.id = v.id AND r.exec_id = v.exec_id`;

/** MySQL cannot say which rows an UPDATE met: lock and read them first, then write them. Same input, twice. */
export const LOCK_RUNS_TO_SETTLE_MYSQL = `SELECT r.id FROM ${ids} WHERE r.status = 'RUNNING' FOR UPDATE`;
export const SETTLE_RUNS_MYSQL = `UPDATE ${ids}
  SET r.status = v.status, r.finished_at = v.finished_at, r.wake_at = v.wake_at, r.http_status = v.http_status,
    r.error_code = v.error_code, r.error_info = v.error_info, r.result = v.result
  WHERE r.status = 'RUNNING'`;

export const INSERT_ATTEMPTS: Statement = {
  postgresql: `INSERT INTO run_attempts (run_id, attempt, tenant_id, exec_id, node, outcome, started_at, finished_at, request,
      response, http_status, error_code, error_info)
    SELECT * FROM json_to_recordset($1::json) AS v(run_id varchar(64), attempt int, tenant_id varchar(64), exec_id varchar(36),
      node varchar(64), outcome varchar(24), started_at timestamp, finished_at timestamp, request jsonb, response jsonb,
      http_status smallint, error_code varchar(64), error_info text)`,
  mysql: `INSERT INTO run_attempts (run_id, attempt, tenant_id, exec_id, node, outcome, started_at, finished_at, request,
      response, http_status, error_code, error_info)
    SELECT * FROM JSON_TABLE(?, '$[*]' COLUMNS (run_id varchar(64) PATH '$.run_id', attempt int PATH '$.attempt',
      tenant_id varchar(64) PATH '$.tenant_id', exec_id varchar(36) PATH '$.exec_id', node varchar(64) PATH '$.node',
      outcome varchar(24) PATH '$.outcome', started_at datetime(3) PATH '$.started_at', finished_at datetime(3) PATH '$.finished_at',
      request json PATH '$.request', response json PATH '$.response', http_status smallint PATH '$.http_status',
      error_code varchar(64) PATH '$.error_code', error_info text PATH '$.error_info')) AS v`,
};
