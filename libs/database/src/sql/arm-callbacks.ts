import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
const attempts = `JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', exec_id ${text(36)} PATH '$.exec_id',
    attempt int PATH '$.attempt', tenant_id varchar(64) PATH '$.tenant_id', token_hash char(64) PATH '$.token_hash',
    started_at datetime(3) PATH '$.started_at', deadline_at datetime(3) PATH '$.deadline_at',
    heartbeat_deadline_at datetime(3) PATH '$.heartbeat_deadline_at')) AS v
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'`;
const columns = 'run_id, attempt, tenant_id, exec_id, token_hash, started_at';
const values = 'v.id, v.attempt, v.tenant_id, v.exec_id, v.token_hash, v.started_at';

/**
 * Gives attempts of ASYNC runs their token's hash and their deadlines, before their calls go out. Those that are no longer
 * RUNNING under their `exec_id` get nothing. Safe to run again: a lost answer repeats it with the same tokens.
 * in: JSON array of {id, exec_id, attempt, tenant_id, token_hash, started_at, deadline_at, heartbeat_deadline_at}, ascending by id
 * out: ids of the runs that have them now
 * locks: the run rows
 *
 * PostgreSQL does it in one statement; MySQL locks and reads the runs, then writes both tables.
 */
export const ARM_CALLBACKS: Statement = {
  postgresql: `WITH v AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36),
      attempt int, tenant_id varchar(64), token_hash char(64), started_at timestamp, deadline_at timestamp,
      heartbeat_deadline_at timestamp)),
    armed AS (UPDATE task_runs r SET deadline_at = v.deadline_at, heartbeat_deadline_at = v.heartbeat_deadline_at, progress = NULL
      FROM v WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING' RETURNING r.id)
    INSERT INTO run_callbacks (${columns}) SELECT ${values} FROM v JOIN armed ON armed.id = v.id
    ON CONFLICT (run_id, attempt) DO UPDATE SET token_hash = excluded.token_hash RETURNING run_id AS id`,
  mysql: `SELECT r.id FROM ${attempts} ${forUpdateOf('r')}`,
};

export const INSERT_CALLBACKS_MYSQL = `INSERT INTO run_callbacks (${columns}) SELECT ${values} FROM ${attempts}
  ON DUPLICATE KEY UPDATE token_hash = v.token_hash`;

export const SET_DEADLINES_MYSQL = `UPDATE ${attempts}
  SET r.deadline_at = v.deadline_at, r.heartbeat_deadline_at = v.heartbeat_deadline_at, r.progress = NULL`;
