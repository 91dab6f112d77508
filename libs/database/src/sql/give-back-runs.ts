import type { Statement } from '../sql.js';

/**
 * Undoes claims that came to nothing: RUNNING becomes RETRYING with one attempt less, and whoever comes next may claim it. What
 * was cancelled or taken over meanwhile stays as it is.
 * in: JSON array of {id, exec_id}, ascending by id; when the run is looked for
 */
export const GIVE_BACK_RUNS: Statement = {
  postgresql: `UPDATE task_runs r SET status = 'RETRYING', attempt = r.attempt - 1, exec_id = NULL, node = NULL, wake_at = $2
    FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id
    SET r.status = 'RETRYING', r.attempt = r.attempt - 1, r.exec_id = NULL, r.node = NULL, r.wake_at = ?
    WHERE r.status = 'RUNNING'`,
};
