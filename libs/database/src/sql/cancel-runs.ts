import type { Statement } from '../sql.js';

const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v`;
const idle = "r.status IN ('SCHEDULED', 'QUEUED', 'RETRYING')";

/**
 * Those of the runs that nobody executes right now.
 * in: JSON array of run ids
 * locks: the run rows, in the order given; the caller holds their tasks' state rows
 */
export const HOLD_IDLE_RUNS: Statement = {
  postgresql: `SELECT r.id, r.status FROM task_runs r WHERE r.id IN (SELECT value FROM json_array_elements_text($1::json))
    AND ${idle} ORDER BY r.id FOR UPDATE`,
  mysql: `SELECT r.id, r.status FROM ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id WHERE ${idle} FOR UPDATE`,
};

/** Calls off runs the caller holds; the guard is only there to be sure. in: JSON array of run ids, now, why */
export const CANCEL_RUNS: Statement = {
  postgresql: `UPDATE task_runs r SET status = 'CANCELED', finished_at = $2, wake_at = NULL, error_code = $3
    WHERE r.id IN (SELECT value FROM json_array_elements_text($1::json)) AND ${idle}`,
  mysql: `UPDATE ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    SET r.status = 'CANCELED', r.finished_at = ?, r.wake_at = NULL, r.error_code = ? WHERE ${idle}`,
};
