import type { Statement } from '../sql.js';
import { TASK_FACTS } from './task-facts.js';

/**
 * Locks the tasks whose next second is due, oldest first.
 * in: lower bound and now of `next_fire_at`, most rows
 * out: what plan and admit decide by, and what a run row copies from its task
 * locks: the task rows, skipping those others hold; held until the transaction ends
 * The lower bound keeps the scan off index entries that finished ticks left dead at the left edge.
 */
export const CLAIM_DUE_TASKS: Statement = {
  postgresql: `SELECT ${TASK_FACTS} FROM tasks
     WHERE next_fire_at >= $1 AND next_fire_at <= $2
     ORDER BY next_fire_at LIMIT $3 FOR UPDATE SKIP LOCKED`,
  mysql: `SELECT ${TASK_FACTS} FROM tasks
     WHERE next_fire_at >= ? AND next_fire_at <= ?
     ORDER BY next_fire_at LIMIT ? FOR UPDATE SKIP LOCKED`,
};
