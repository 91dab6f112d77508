import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

const executions = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id')) AS v`;

/**
 * Those of a worker's executions that are still its own and whose rows nobody holds: one row that somebody holds must not stand in the
 * way of all others. By itself, before what is done to them: a worker that stands still in between holds nothing.
 * in: JSON array of {id, exec_id}; locks: none that outlive it
 */
export const FREE_EXECUTIONS: Statement = {
  postgresql: `SELECT r.id, r.exec_id FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    JOIN task_runs r ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING' FOR UPDATE OF r SKIP LOCKED`,
  mysql: `SELECT r.id, r.exec_id FROM ${executions} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id
    WHERE r.status = 'RUNNING' ${forUpdateOf('r')} SKIP LOCKED`,
};

/**
 * Keeps the leases of what a worker is running.
 * in: JSON array of {id, exec_id}, new end of the lease
 * out: how many are still its own
 */
export const EXTEND_LEASES: Statement = {
  postgresql: `UPDATE task_runs r SET wake_at = $2 FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'`,
  mysql: `UPDATE ${executions} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id
    SET r.wake_at = ? WHERE r.status = 'RUNNING'`,
};

/** in: JSON array of {id, exec_id}; out: the `exec_id` of those that are still RUNNING under it */
export const STILL_RUNNING: Statement = {
  postgresql: `SELECT r.exec_id FROM task_runs r JOIN json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING'`,
  mysql: `SELECT r.exec_id FROM ${executions} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING'`,
};
