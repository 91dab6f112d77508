import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$')) AS v`;
const executing = "r.status IN ('RUNNING', 'WAITING_CALLBACK')";
const unfinished = "r.status IN ('SCHEDULED', 'QUEUED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING')";

/**
 * Those of the runs that are not finished.
 * in: JSON array of run ids, ascending
 * locks: the run rows, in that order; the caller holds their tasks' state rows
 */
const columns = `r.id, r.task_id, r.status, r.exec_id, r.attempt, r.tick_attempt, r.wake_at, r.priority, r.trigger,
  (SELECT t.executor FROM tasks t WHERE t.id = r.task_id) AS executor,
  (SELECT t.notify IS NOT NULL FROM tasks t WHERE t.id = r.task_id) AS notifies`;

export const HOLD_UNFINISHED_RUNS: Statement = {
  postgresql: `SELECT ${columns} FROM task_runs r WHERE r.id IN (SELECT value FROM json_array_elements_text($1::json))
    AND ${unfinished} ORDER BY r.id FOR UPDATE`,
  mysql: `SELECT ${columns} FROM ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    WHERE ${unfinished} ${forUpdateOf('r')}`,
};

/**
 * A task's unfinished runs, newest first. How many there are is known from the task's counters, so the walk back through
 * its history ends with the last of them. Cold runs, of which there may be very many, are not counted, and all but those of the next seconds have later ids.
 * in: task id, the id that runs with a slot or a place sort before, how many
 * locks: none; the caller holds the task, and with it everybody who could finish them
 */
export const FIND_UNFINISHED_RUNS: Statement = {
  postgresql: `SELECT r.id FROM task_runs r WHERE r.task_id = $1 AND r.id < $2 AND ${unfinished}
      AND (r.wake_at IS NOT NULL OR r.status <> 'SCHEDULED') ORDER BY r.id DESC LIMIT $3`,
  mysql: `SELECT r.id FROM task_runs r FORCE INDEX (task_runs_task_id_id_idx)
    WHERE r.task_id = ? AND r.id < ? AND ${unfinished} AND (r.wake_at IS NOT NULL OR r.status <> 'SCHEDULED') ORDER BY r.id DESC LIMIT ?`,
};

const reasons = `JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', at datetime(3) PATH '$.at',
    error_code varchar(64) PATH '$.error_code', error_info text PATH '$.error_info')) AS v`;
const POSTGRES_REASONS =
  'json_to_recordset($1::json) AS v(id varchar(64), at timestamp, error_code varchar(64), error_info text)';

/**
 * What the executions of runs leave when they are called off. The caller holds the runs.
 * in: JSON array of {id, at, error_code, error_info}
 */
const attempts = `INSERT INTO run_attempts (run_id, attempt, tenant_id, exec_id, node, outcome, started_at, finished_at, error_code,
    error_info)
  SELECT r.id, r.attempt, r.tenant_id, r.exec_id, r.node, 'CANCELED', coalesce(r.attempt_started_at, r.started_at), v.at, v.error_code, v.error_info`;

export const CANCEL_ATTEMPTS: Statement = {
  postgresql: `${attempts} FROM ${POSTGRES_REASONS} JOIN task_runs r ON r.id = v.id WHERE ${executing}`,
  mysql: `${attempts} FROM ${reasons} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id WHERE ${executing}`,
};

/** Calls off runs the caller holds; the guard is only there to be sure. in: the same JSON array */
export const CANCEL_RUNS: Statement = {
  postgresql: `UPDATE task_runs r SET status = 'CANCELED', finished_at = v.at, wake_at = NULL, error_code = v.error_code,
      error_info = v.error_info
    FROM ${POSTGRES_REASONS} WHERE r.id = v.id AND ${unfinished}`,
  mysql: `UPDATE ${reasons} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    SET r.status = 'CANCELED', r.finished_at = v.at, r.wake_at = NULL, r.error_code = v.error_code, r.error_info = v.error_info
    WHERE ${unfinished}`,
};
