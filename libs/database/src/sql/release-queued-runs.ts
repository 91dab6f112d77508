import type { Statement } from '../sql.js';

/**
 * The runs of a task that have waited longest for a slot, in the order they are to be released.
 * in: task id, how many
 */
export const NEXT_QUEUED_RUNS: Statement = {
  postgresql: `SELECT id, priority, scheduled_time, trace_id FROM task_runs WHERE task_id = $1 AND attention = 'QUEUED' ORDER BY id LIMIT $2`,
  mysql:
    "SELECT id, priority, scheduled_time, trace_id FROM task_runs WHERE task_id = ? AND attention = 'QUEUED' ORDER BY id LIMIT ?",
};

/**
 * QUEUED becomes SCHEDULED. The caller holds the rows' tasks.
 * in: JSON array of {id, wake_at}
 */
export const RELEASE_QUEUED_RUNS: Statement = {
  postgresql: `UPDATE task_runs r SET status = 'SCHEDULED', wake_at = v.wake_at
    FROM json_to_recordset($1::json) AS v(id varchar(64), wake_at timestamp) WHERE r.id = v.id AND r.status = 'QUEUED'`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      wake_at datetime(3) PATH '$.wake_at')) AS v STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    SET r.wake_at = v.wake_at, r.status = 'SCHEDULED' WHERE r.status = 'QUEUED'`,
};

/**
 * Moves the counters of tasks, and what they remember of the run that ended last.
 * in: JSON array of {id, active, queued, last_ended_run_id, failed_tick_attempt, failure_skipped}; active and queued are added
 * locks: the state rows, which the caller holds already
 */
export const COUNT_RUNS: Statement = {
  postgresql: `UPDATE task_states s SET active_runs = s.active_runs + v.active, queued_runs = s.queued_runs + v.queued,
      last_ended_run_id = v.last_ended_run_id, failed_tick_attempt = v.failed_tick_attempt, failure_skipped = v.failure_skipped
    FROM json_to_recordset($1::json) AS v(id bigint, active int, queued int, last_ended_run_id varchar(64),
      failed_tick_attempt int, failure_skipped boolean) WHERE s.task_id = v.id`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$.id', active int PATH '$.active', queued int PATH '$.queued',
      last_ended_run_id varchar(64) PATH '$.last_ended_run_id', failed_tick_attempt int PATH '$.failed_tick_attempt',
      failure_skipped int PATH '$.failure_skipped')) AS v
    STRAIGHT_JOIN task_states s FORCE INDEX (PRIMARY) ON s.task_id = v.id
    SET s.active_runs = s.active_runs + v.active, s.queued_runs = s.queued_runs + v.queued,
      s.last_ended_run_id = v.last_ended_run_id, s.failed_tick_attempt = v.failed_tick_attempt,
      s.failure_skipped = v.failure_skipped`,
};
