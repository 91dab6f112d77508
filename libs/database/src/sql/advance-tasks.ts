import type { Statement } from '../sql.js';

/**
 * Moves tasks to their next second and counts the runs just admitted.
 * in: JSON array of {id, next_fire_at | null, active, queued, last_run_id | null, failure_skipped | null}; active and queued
 *   are added, where the last two are null they stay
 * locks: the state rows, which the caller holds already
 */
export const ADVANCE_TASKS: Statement = {
  postgresql: `UPDATE task_states s SET next_fire_at = v.next_fire_at, active_runs = s.active_runs + v.active,
      queued_runs = s.queued_runs + v.queued, last_run_id = coalesce(v.last_run_id, s.last_run_id),
      failure_skipped = coalesce(v.failure_skipped, s.failure_skipped)
    FROM json_to_recordset($1::json) AS v(id bigint, next_fire_at timestamp, active int, queued int, last_run_id varchar(64),
      failure_skipped boolean)
    WHERE s.task_id = v.id`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$.id', next_fire_at datetime(3) PATH '$.next_fire_at',
      active int PATH '$.active', queued int PATH '$.queued', last_run_id varchar(64) PATH '$.last_run_id',
      failure_skipped int PATH '$.failure_skipped')) AS v
    STRAIGHT_JOIN task_states s FORCE INDEX (PRIMARY) ON s.task_id = v.id
    SET s.next_fire_at = v.next_fire_at, s.active_runs = s.active_runs + v.active,
      s.queued_runs = s.queued_runs + v.queued, s.last_run_id = coalesce(v.last_run_id, s.last_run_id),
      s.failure_skipped = coalesce(v.failure_skipped, s.failure_skipped)`,
};
