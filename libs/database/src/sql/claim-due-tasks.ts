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

/** Whether one is left: whose row somebody held when the tick came by. in: now */
export const ANY_DUE_TASK: Statement = {
  postgresql: 'SELECT 1 AS due FROM task_states WHERE next_fire_at <= $1 LIMIT 1',
  mysql: 'SELECT 1 AS due FROM task_states WHERE next_fire_at <= ? LIMIT 1',
};
