import type { Statement } from '../sql.js';

const executions = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id')) AS v`;

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
