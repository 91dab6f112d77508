import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

/** Never started, and by now too late to. Cold runs are judged when they are admitted. */
const late = (now: string) => `r.start_before < ${now} AND r.attempt = 0`;
const columns =
  'r.id, r.task_id, r.tenant_id, r.trigger, (SELECT t.executor FROM tasks t WHERE t.id = r.task_id) AS executor';
const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v`;

/**
 * Which of the runs are too late to start, and whose they are.
 * in: JSON array of run ids, now
 * locks: none; what it says is asked again under the lock of their tasks
 */
export const FIND_LATE_RUNS: Statement = {
  postgresql: `SELECT ${columns} FROM json_array_elements_text($1::json) AS v(id) JOIN task_runs r ON r.id = v.id
    WHERE r.status = 'SCHEDULED' AND r.wake_at IS NOT NULL AND ${late('$2')}`,
  mysql: `SELECT ${columns} FROM ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    WHERE r.status = 'SCHEDULED' AND r.wake_at IS NOT NULL AND ${late('?')}`,
};

/**
 * The runs of a task that wait for a slot and will be too late for it.
 * in: task id, now
 * locks: the caller holds the task, and with it everybody who could move them
 */
export const LATE_IN_LINE: Statement = {
  postgresql: `SELECT r.id, r.task_id, r.tenant_id, r.trigger FROM task_runs r WHERE r.task_id = $1 AND r.attention = 'QUEUED' AND ${late('$2')}`,
  mysql: `SELECT r.id, r.task_id, r.tenant_id, r.trigger FROM task_runs r WHERE r.task_id = ? AND r.attention = 'QUEUED' AND ${late('?')}`,
};

/**
 * The same as FIND_LATE_RUNS, to be closed.
 * in: JSON array of run ids in ascending order, now
 * locks: the run rows; the caller holds their tasks already
 */
export const LOCK_LATE_RUNS: Statement = {
  postgresql: `${FIND_LATE_RUNS.postgresql} ORDER BY r.id FOR UPDATE OF r`,
  mysql: `${FIND_LATE_RUNS.mysql} ${forUpdateOf('r')}`,
};

/** SCHEDULED or QUEUED becomes SKIPPED. The caller holds the rows. in: JSON array of run ids, now */
export const SKIP_LATE_RUNS: Statement = {
  postgresql: `UPDATE task_runs r SET status = 'SKIPPED', skip_reason = 'LATE', finished_at = $2, wake_at = NULL
    FROM json_array_elements_text($1::json) AS v(id) WHERE r.id = v.id AND r.status IN ('SCHEDULED', 'QUEUED')`,
  mysql: `UPDATE ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    SET r.status = 'SKIPPED', r.skip_reason = 'LATE', r.finished_at = ?, r.wake_at = NULL
    WHERE r.status IN ('SCHEDULED', 'QUEUED')`,
};
