import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

/**
 * Locks tasks in the order everybody locks them: by ascending id.
 * in: JSON array of ids, ascending: MySQL locks them in the order they are given
 * out: what deciding about their slots needs
 */
const columns = `t.id, t.max_concurrency, t.concurrency_policy, s.active_runs, s.queued_runs,
  s.last_ended_run_id, s.failed_tick_attempt, s.failure_skipped`;

export const LOCK_TASKS: Statement = {
  postgresql: `SELECT ${columns} FROM task_states s JOIN tasks t ON t.id = s.task_id
    WHERE s.task_id IN (SELECT value::bigint FROM json_array_elements_text($1::json)) ORDER BY s.task_id FOR UPDATE OF s`,
  mysql: `SELECT ${columns} FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v
    STRAIGHT_JOIN task_states s FORCE INDEX (PRIMARY) ON s.task_id = v.id
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = s.task_id ${forUpdateOf('s', 't')}`,
};

/**
 * The limits of tasks whose states the caller holds, as they are now. PostgreSQL reads a state anew after waiting for its lock,
 * but not the definition beside it: a limit that was raised meanwhile would be overlooked, and nobody let in.
 * in: JSON array of ids
 */
export const TASK_LIMITS: Statement = {
  postgresql: `SELECT id, max_concurrency, concurrency_policy, executor FROM tasks
    WHERE id IN (SELECT value::bigint FROM json_array_elements_text($1::json))`,
  mysql: `SELECT t.id, t.max_concurrency, t.concurrency_policy, t.executor FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = v.id`,
};
