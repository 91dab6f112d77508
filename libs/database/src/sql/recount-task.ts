import type { Statement } from '../sql.js';

/**
 * What the recount asks and writes about one task. The caller holds its state row, and with it everybody who could admit
 * or end a run of it.
 */
const SLOT = "status IN ('SCHEDULED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING')";
const ENDED = "status IN ('COMPLETED', 'PENDING', 'SUCCESS', 'FAILED', 'TIMEOUT', 'CANCELED', 'MANUALLY_PROCESSED')";

/** Its definition as it is now: what was read while waiting for the lock may be older. in: task id */
export const TASK_FATE: Statement = {
  postgresql: 'SELECT deleted, max_concurrency, concurrency_policy FROM tasks WHERE id = $1',
  mysql: 'SELECT deleted, max_concurrency, concurrency_policy FROM tasks WHERE id = ?',
};

/**
 * Its runs that hold a slot; one that starts later, SCHEDULED and without a time to wake at, holds none. The only
 * statement that walks through a task's whole history: nothing but the runs themselves can say which they are.
 * in: task id
 */
const holding = `task_id = $1 AND ${SLOT} AND (wake_at IS NOT NULL OR status <> 'SCHEDULED')`;

export const SLOT_RUNS: Statement = {
  postgresql: `SELECT id, wake_at FROM task_runs WHERE ${holding} ORDER BY id`,
  mysql: `SELECT id, wake_at FROM task_runs FORCE INDEX (task_runs_task_id_id_idx)
    WHERE ${holding.replace('$1', '?')} ORDER BY id`,
};

/** in: task id */
export const QUEUED_RUNS: Statement = {
  postgresql: "SELECT id FROM task_runs WHERE task_id = $1 AND attention = 'QUEUED'",
  mysql: `SELECT id FROM task_runs FORCE INDEX (task_runs_queued_idx) WHERE task_id = ? AND attention = 'QUEUED'`,
};

/** Which of the runs have an alarm. Reads all alarms there are. in: JSON array of run ids */
export const RUNS_WITH_ALARM: Statement = {
  postgresql: `SELECT DISTINCT run_id AS id FROM run_alarms
    WHERE run_id IN (SELECT value FROM json_array_elements_text($1::json))`,
  mysql: `SELECT DISTINCT a.run_id AS id FROM run_alarms a JOIN JSON_TABLE(?, '$[*]' COLUMNS (
      id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v ON v.id = a.run_id`,
};

/** Gives runs a time to wake at that have none. in: JSON array of run ids, ascending, the time; locks: the run rows */
export const WAKE_RUNS: Statement = {
  postgresql: `UPDATE task_runs SET wake_at = $2
    WHERE id IN (SELECT value FROM json_array_elements_text($1::json)) AND ${SLOT} AND wake_at IS NULL`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id SET r.wake_at = ? WHERE r.${SLOT} AND r.wake_at IS NULL`,
};

/** in: active, queued, task id */
export const SET_COUNTERS: Statement = {
  postgresql: 'UPDATE task_states SET active_runs = $1, queued_runs = $2 WHERE task_id = $3',
  mysql: 'UPDATE task_states SET active_runs = ?, queued_runs = ? WHERE task_id = ?',
};

/** The run it remembers as its last ended one, if that cannot be: never executed, or of another task. in: task id */
const misremembered = `SELECT r.id FROM task_states s JOIN task_runs r ON r.id = s.last_ended_run_id
  WHERE s.task_id = $1 AND (r.attempt = 0 OR r.task_id <> s.task_id)`;

export const MISREMEMBERED_RUN: Statement = {
  postgresql: misremembered,
  mysql: misremembered.replace('$1', '?'),
};

/** The newest run that was executed and has ended, archived or not. in: task id, the same again */
const newestEnded = (table: string, task: string) =>
  `(SELECT id, status, tick_attempt FROM ${table} WHERE task_id = ${task} AND attempt > 0 AND ${ENDED}
    ORDER BY task_id DESC, id DESC LIMIT 1)`;
const byTask = (table: string) => `${table} FORCE INDEX (${table}_task_id_id_idx)`;

export const NEWEST_ENDED_RUN: Statement = {
  postgresql: `SELECT * FROM (${newestEnded('task_runs', '$1')} UNION ALL ${newestEnded('run_archive', '$2')}) AS ended
    ORDER BY id DESC LIMIT 1`,
  mysql: `SELECT * FROM (${newestEnded(byTask('task_runs'), '?')} UNION ALL ${newestEnded(byTask('run_archive'), '?')}) AS ended
    ORDER BY id DESC LIMIT 1`,
};

/** in: run id or null, the tick_attempt it failed with or null, task id */
export const REMEMBER_ENDED_RUN: Statement = {
  postgresql: `UPDATE task_states SET last_ended_run_id = $1, failed_tick_attempt = $2, failure_skipped = false WHERE task_id = $3`,
  mysql: `UPDATE task_states SET last_ended_run_id = ?, failed_tick_attempt = ?, failure_skipped = false WHERE task_id = ?`,
};
