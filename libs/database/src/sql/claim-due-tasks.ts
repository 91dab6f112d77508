import type { Statement } from '../sql.js';
import { TASK_FACTS } from './task-facts.js';

/**
 * Locks the tasks whose next second is due, oldest first.
 * in: now, most rows
 * out: their facts
 * locks: the state rows, skipping those others hold; held until the transaction ends. MariaDB knows no FOR UPDATE OF and
 *   locks the definitions with them.
 */
export const CLAIM_DUE_TASKS: Statement = {
  postgresql: `SELECT ${TASK_FACTS}
    WHERE s.next_fire_at <= $1 ORDER BY s.next_fire_at LIMIT $2 FOR UPDATE OF s SKIP LOCKED`,
  mysql: `SELECT ${TASK_FACTS}
    WHERE s.next_fire_at <= ? ORDER BY s.next_fire_at LIMIT ? FOR UPDATE SKIP LOCKED`,
};

/**
 * Locks tasks whose next second is about to come, where nothing can change by then what becomes of it: no run of theirs is
 * unfinished, and no failure is to be answered. Agents look for their work when it is there, not before;
 * and what is spread by jitter is in no hurry.
 * in: now, the second, most rows
 * out, locks: as above
 */
const clear = `s.active_runs = 0 AND s.queued_runs = 0 AND t.executor <> 'AGENT' AND t.jitter_seconds = 0
      AND (s.failed_tick_attempt IS NULL OR t.failure_action = 'RUN_NEW')`;

export const CLAIM_TASKS_AHEAD: Statement = {
  postgresql: `SELECT ${TASK_FACTS} WHERE s.next_fire_at > $1 AND s.next_fire_at <= $2 AND ${clear}
    ORDER BY s.next_fire_at LIMIT $3 FOR UPDATE OF s SKIP LOCKED`,
  mysql: `SELECT ${TASK_FACTS} WHERE s.next_fire_at > ? AND s.next_fire_at <= ? AND ${clear}
    ORDER BY s.next_fire_at LIMIT ? FOR UPDATE SKIP LOCKED`,
};

/**
 * When the last of so many tasks is due that are the next ones after a moment: in a crowd, which is many at once, the crowd's second.
 * in: after, by, how many come before it
 * out: one row, or none if fewer are due by then
 */
export const NEXT_CROWD: Statement = {
  postgresql: `SELECT s.next_fire_at FROM task_states s WHERE s.next_fire_at > $1 AND s.next_fire_at <= $2
    ORDER BY s.next_fire_at LIMIT 1 OFFSET $3`,
  mysql: `SELECT s.next_fire_at FROM task_states s WHERE s.next_fire_at > ? AND s.next_fire_at <= ?
    ORDER BY s.next_fire_at LIMIT 1 OFFSET ?`,
};

const but = {
  postgresql: (list: string) => `s.task_id NOT IN (SELECT value::bigint FROM json_array_elements_text(${list}::json))`,
  mysql: "s.task_id NOT IN (SELECT v.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v)",
};

/**
 * The same without tasks that have had their share of this second. A statement of its own, since a comeback is rare and
 * the everyday one should know nothing of it.
 * in: now, JSON array of task ids to leave out, most rows
 */
export const CLAIM_OTHER_DUE_TASKS: Statement = {
  postgresql: `SELECT ${TASK_FACTS}
    WHERE s.next_fire_at <= $1 AND ${but.postgresql('$2')} ORDER BY s.next_fire_at LIMIT $3 FOR UPDATE OF s SKIP LOCKED`,
  mysql: `SELECT ${TASK_FACTS}
    WHERE s.next_fire_at <= ? AND ${but.mysql} ORDER BY s.next_fire_at LIMIT ? FOR UPDATE SKIP LOCKED`,
};

/** Whether one is left: whose row somebody held when the tick came by. in: now, JSON array of task ids to leave out */
export const ANY_DUE_TASK: Statement = {
  postgresql: `SELECT 1 AS due FROM task_states s WHERE s.next_fire_at <= $1 AND ${but.postgresql('$2')} LIMIT 1`,
  mysql: `SELECT 1 AS due FROM task_states s WHERE s.next_fire_at <= ? AND ${but.mysql} LIMIT 1`,
};
