import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
const calls = `JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', exec_id ${text(36)} PATH '$.exec_id',
    attempt int PATH '$.attempt', accepted int PATH '$.accepted', at datetime(3) PATH '$.at', http_status smallint PATH '$.http_status',
    request mediumtext PATH '$.request', response mediumtext PATH '$.response')) AS v`;
const waiting = `${calls} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY)
    ON v.accepted = 1 AND r.id = v.id AND r.exec_id = v.exec_id`;

/**
 * Writes down how the calls went that started ASYNC attempts. Runs whose target accepted, and that are still RUNNING under that
 * `exec_id`, become WAITING_CALLBACK: they keep their slot, and wake at the nearer of their deadlines, which have been there
 * since before the call and may have been moved by a heartbeat.
 * in: JSON array of {id, exec_id, attempt, accepted (0 or 1), at, http_status, request, response}, ascending by id
 * out: the runs that wait now, and when they wake
 * locks: the run rows, then the callbacks'; no task: neither its slots nor its counters change
 *
 * PostgreSQL does it in one statement, alarms included. MySQL needs four, and sets the alarms apart.
 */
export const ACCEPT_STARTS: Statement = {
  postgresql: `WITH v AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36),
      attempt int, accepted int, at timestamp, http_status smallint, request text, response text)),
    waiting AS (UPDATE task_runs r SET status = 'WAITING_CALLBACK', http_status = v.http_status, error_code = NULL,
        error_info = NULL, wake_at = coalesce(least(r.deadline_at, r.heartbeat_deadline_at), v.at)
      FROM v WHERE v.accepted = 1 AND r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'
      RETURNING r.id, r.tenant_id, r.wake_at),
    alarms AS (INSERT INTO run_alarms (at, run_id, tenant_id) SELECT wake_at, id, tenant_id FROM waiting ON CONFLICT DO NOTHING),
    kept AS (UPDATE run_callbacks c SET answered_at = v.at, http_status = v.http_status, request = v.request, response = v.response
      FROM v WHERE c.run_id = v.id AND c.attempt = v.attempt AND c.exec_id = v.exec_id)
    SELECT id, wake_at FROM waiting`,
  mysql: `SELECT r.id FROM ${waiting} WHERE r.status = 'RUNNING' ${forUpdateOf('r')}`,
};

export const WAIT_FOR_CALLBACKS_MYSQL = `UPDATE ${waiting} SET r.status = 'WAITING_CALLBACK', r.http_status = v.http_status,
    r.error_code = NULL, r.error_info = NULL,
    r.wake_at = coalesce(least(r.deadline_at, coalesce(r.heartbeat_deadline_at, r.deadline_at)), v.at)
  WHERE r.status = 'RUNNING'`;

export const KEEP_STARTS_MYSQL = `UPDATE ${calls} STRAIGHT_JOIN run_callbacks c FORCE INDEX (PRIMARY)
    ON c.run_id = v.id AND c.attempt = v.attempt AND c.exec_id = v.exec_id
  SET c.answered_at = v.at, c.http_status = v.http_status, c.request = v.request, c.response = v.response`;

/** in: JSON array of run ids */
export const WAKE_TIMES_MYSQL = `SELECT r.id, r.wake_at FROM JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$')) AS v
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id`;
