import type { Statement } from '../sql.js';

/**
 * Runs whose time to be looked at has come: dispatches the queue has lost, leases that ran out.
 * in: now, most rows
 * locks: the rows, skipping those others hold. Runs only: whoever acts on a RUNNING one goes through settle.
 */
export const DUE_TO_WAKE: Statement = {
  postgresql: `SELECT id, task_id, tenant_id, status, exec_id, attempt, max_attempts, node, priority, scheduled_time, started_at FROM task_runs
    WHERE wake_at <= $1 ORDER BY wake_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
  mysql: `SELECT id, task_id, tenant_id, status, exec_id, attempt, max_attempts, node, priority, scheduled_time, started_at FROM task_runs
    WHERE wake_at <= ? ORDER BY wake_at LIMIT ? FOR UPDATE SKIP LOCKED`,
};

/** in: JSON array of run ids, their next time to be looked at */
export const POSTPONE_WAKE: Statement = {
  postgresql: `UPDATE task_runs SET wake_at = $2 WHERE id IN (SELECT value FROM json_array_elements_text($1::json))`,
  mysql: `UPDATE task_runs r JOIN JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v
    ON r.id = v.id SET r.wake_at = ?`,
};

/**
 * Keeps the leases of what a worker is running.
 * in: JSON array of {id, exec_id}, new end of the lease
 * out: how many are still its own
 */
export const EXTEND_LEASES: Statement = {
  postgresql: `UPDATE task_runs r SET wake_at = $2 FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'`,
  mysql: `UPDATE task_runs r JOIN JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id')) AS v ON r.id = v.id AND r.exec_id = v.exec_id
    SET r.wake_at = ? WHERE r.status = 'RUNNING'`,
};

/** in: JSON array of {id, exec_id}; out: which of them are still RUNNING under that `exec_id` */
export const STILL_RUNNING: Statement = {
  postgresql: `SELECT r.id FROM task_runs r JOIN json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING'`,
  mysql: `SELECT r.id FROM task_runs r JOIN JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id')) AS v
    ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING'`,
};
