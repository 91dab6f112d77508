import type { Statement } from '../sql.js';

/**
 * Locks a run that nobody has begun, to take it back.
 * in: its id
 * out: when it was to be looked at
 */
export const HOLD_UNBEGUN_RUN: Statement = {
  postgresql: "SELECT wake_at FROM task_runs WHERE id = $1 AND status = 'SCHEDULED' AND attempt = 0 FOR UPDATE",
  mysql: "SELECT wake_at FROM task_runs WHERE id = ? AND status = 'SCHEDULED' AND attempt = 0 FOR UPDATE",
};

/** in: its id */
export const DROP_RUN: Statement = {
  postgresql: 'DELETE FROM task_runs WHERE id = $1',
  mysql: 'DELETE FROM task_runs WHERE id = ?',
};

/** in: when it goes off, the run */
export const DROP_ALARM: Statement = {
  postgresql: 'DELETE FROM run_alarms WHERE at = $1 AND run_id = $2',
  mysql: 'DELETE FROM run_alarms WHERE at = ? AND run_id = ?',
};

/** Not cold. */
const admitted = "(r.status <> 'SCHEDULED' OR r.wake_at IS NOT NULL)";

/**
 * Plans a second again whose run was taken back.
 * in: the second, the task, the run, the task
 * locks: its state, which the caller holds already
 */
export const PLAN_AGAIN: Statement = {
  postgresql: `UPDATE task_states SET active_runs = active_runs - 1, next_fire_at = $1,
      last_run_id = (SELECT r.id FROM task_runs r WHERE r.task_id = $2 AND r.id < $3 AND ${admitted} ORDER BY r.id DESC LIMIT 1)
    WHERE task_id = $4`,
  mysql: `UPDATE task_states SET active_runs = active_runs - 1, next_fire_at = ?,
      last_run_id = (SELECT r.id FROM task_runs r WHERE r.task_id = ? AND r.id < ? AND ${admitted} ORDER BY r.id DESC LIMIT 1)
    WHERE task_id = ?`,
};
