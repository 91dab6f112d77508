import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v`;

/** Writes down when runs start that nobody is told of yet. in: JSON array of {start_at, run_id, tenant_id, task_id} */
export const ADD_COLD_RUNS: Statement = {
  postgresql: `INSERT INTO cold_runs (start_at, run_id, tenant_id, task_id) SELECT start_at, run_id, tenant_id, task_id
    FROM json_to_recordset($1::json) AS v(start_at timestamp, run_id varchar(64), tenant_id varchar(64), task_id bigint)`,
  mysql: `INSERT INTO cold_runs (start_at, run_id, tenant_id, task_id) SELECT start_at, run_id, tenant_id, task_id
    FROM JSON_TABLE(?, '$[*]' COLUMNS (start_at datetime(3) PATH '$.start_at', run_id varchar(64) PATH '$.run_id',
      tenant_id varchar(64) PATH '$.tenant_id', task_id bigint PATH '$.task_id')) AS v`,
};

const keys = {
  postgresql: 'json_to_recordset($1::json) AS v(start_at timestamp, run_id varchar(64))',
  mysql: `JSON_TABLE(?, '$[*]' COLUMNS (start_at datetime(3) PATH '$.start_at',
      run_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.run_id')) AS v`,
};

/** What starts by a time, earliest first. in: the time, the start and again the start of the last one that was seen, its id, most rows */
export const NEXT_COLD_RUNS: Statement = {
  postgresql: `SELECT start_at, run_id, task_id FROM cold_runs WHERE start_at <= $1 AND start_at >= $2 AND (start_at > $3 OR run_id > $4)
    ORDER BY start_at, run_id LIMIT $5`,
  mysql: `SELECT start_at, run_id, task_id FROM cold_runs FORCE INDEX (PRIMARY)
    WHERE start_at <= ? AND start_at >= ? AND (start_at > ? OR run_id > ?) ORDER BY start_at, run_id LIMIT ?`,
};

/**
 * Takes those of them that nobody else has.
 * in: JSON array of {start_at, run_id}
 * locks: the rows here, skipping those others hold. Before the tasks' state rows, but nobody ever waits for a row here
 */
export const TAKE_COLD_RUNS: Statement = {
  postgresql: `SELECT c.start_at, c.run_id, c.task_id FROM ${keys.postgresql}
    JOIN cold_runs c ON c.start_at = v.start_at AND c.run_id = v.run_id FOR UPDATE OF c SKIP LOCKED`,
  mysql: `SELECT c.start_at, c.run_id, c.task_id FROM ${keys.mysql}
    STRAIGHT_JOIN cold_runs c FORCE INDEX (PRIMARY) ON c.start_at = v.start_at AND c.run_id = v.run_id ${forUpdateOf('c')} SKIP LOCKED`,
};

/** The same for those of one task, whenever they start. in: task id, most rows */
export const TAKE_COLD_RUNS_OF_TASK: Statement = {
  postgresql: `SELECT start_at, run_id, task_id FROM cold_runs WHERE task_id = $1 ORDER BY run_id LIMIT $2 FOR UPDATE SKIP LOCKED`,
  mysql: `SELECT start_at, run_id, task_id FROM cold_runs WHERE task_id = ? ORDER BY run_id LIMIT ? FOR UPDATE SKIP LOCKED`,
};

/** The same for one run. in: task id, run id */
export const TAKE_COLD_RUN: Statement = {
  postgresql: `SELECT start_at, run_id, task_id FROM cold_runs WHERE task_id = $1 AND run_id = $2 FOR UPDATE SKIP LOCKED`,
  mysql: `SELECT start_at, run_id, task_id FROM cold_runs WHERE task_id = ? AND run_id = ? FOR UPDATE SKIP LOCKED`,
};

/** in: JSON array of {start_at, run_id}. The caller holds the rows. */
export const DROP_COLD_RUNS: Statement = {
  postgresql: `DELETE FROM cold_runs c USING ${keys.postgresql}
    WHERE c.start_at = v.start_at AND c.run_id = v.run_id`,
  mysql: `DELETE c FROM ${keys.mysql}
    STRAIGHT_JOIN cold_runs c FORCE INDEX (PRIMARY) ON c.start_at = v.start_at AND c.run_id = v.run_id`,
};

const stillCold = "r.status = 'SCHEDULED' AND r.wake_at IS NULL";

/**
 * Those of the runs that are still to be admitted.
 * in: JSON array of run ids, ascending
 * locks: the run rows; the caller holds their tasks' state rows
 */
export const HOLD_COLD_RUNS: Statement = {
  postgresql: `SELECT r.id, r.task_id, r.priority, r.scheduled_time, r.trace_id FROM task_runs r
    WHERE r.id IN (SELECT value FROM json_array_elements_text($1::json)) AND ${stillCold} ORDER BY r.id FOR UPDATE`,
  mysql: `SELECT r.id, r.task_id, r.priority, r.scheduled_time, r.trace_id
    FROM ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id WHERE ${stillCold} ${forUpdateOf('r')}`,
};

/**
 * Cold runs become what admitting them decided. The caller holds the rows.
 * in: JSON array of {id, status, wake_at, start_before, max_attempts, skip_reason, blocked_by, finished_at, error_code}
 */
export const WARM_RUNS: Statement = {
  postgresql: `UPDATE task_runs r SET status = v.status, wake_at = v.wake_at, start_before = v.start_before,
      max_attempts = v.max_attempts, skip_reason = v.skip_reason, blocked_by = v.blocked_by, finished_at = v.finished_at,
      error_code = v.error_code
    FROM json_to_recordset($1::json) AS v(id varchar(64), status varchar(24), wake_at timestamp, start_before timestamp,
      max_attempts int, skip_reason varchar(16), blocked_by varchar(64), finished_at timestamp, error_code varchar(64))
    WHERE r.id = v.id AND ${stillCold}`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      status varchar(24) PATH '$.status', wake_at datetime(3) PATH '$.wake_at', start_before datetime(3) PATH '$.start_before',
      max_attempts int PATH '$.max_attempts', skip_reason varchar(16) PATH '$.skip_reason',
      blocked_by varchar(64) PATH '$.blocked_by', finished_at datetime(3) PATH '$.finished_at',
      error_code varchar(64) PATH '$.error_code')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    SET r.wake_at = v.wake_at, r.start_before = v.start_before, r.max_attempts = v.max_attempts,
      r.skip_reason = v.skip_reason, r.blocked_by = v.blocked_by, r.finished_at = v.finished_at,
      r.error_code = v.error_code, r.status = v.status
    WHERE ${stillCold}`,
};
