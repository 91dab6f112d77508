import type { Statement } from '../sql.js';
import { IDS } from './id-rows.js';

const executions = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id')) AS v`;

/**
 * What a worker is running and nobody holds: one row that somebody holds must not cost it the leases of all others.
 * in: JSON array of {id, exec_id}, ascending by id; out: the ids of those that are still its own; locks: those
 */
export const HOLD_LEASES: Statement = {
  postgresql: `SELECT r.id FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    JOIN task_runs r ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING' FOR UPDATE OF r SKIP LOCKED`,
  mysql: `SELECT r.id FROM ${executions} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id
    WHERE r.status = 'RUNNING' FOR UPDATE SKIP LOCKED`,
};

/** Keeps the leases of runs that the caller holds. in: JSON array of their ids, new end of the lease */
export const EXTEND_LEASES: Statement = {
  postgresql: `UPDATE task_runs r SET wake_at = $2 FROM ${IDS.postgresql} WHERE r.id = v.id`,
  mysql: `UPDATE ${IDS.mysql} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id SET r.wake_at = ?`,
};

/** in: JSON array of {id, exec_id}; out: the `exec_id` of those that are still RUNNING under it */
export const STILL_RUNNING: Statement = {
  postgresql: `SELECT r.exec_id FROM task_runs r JOIN json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING'`,
  mysql: `SELECT r.exec_id FROM ${executions} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING'`,
};
