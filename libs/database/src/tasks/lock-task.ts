import { LOCK_TASK } from '../sql/lock-task.js';
import type { Sql } from '../sql.js';
import { type TaskFacts, type TaskFactsRow, toTaskFacts } from './task-facts.js';

/** Locks and reads one live task, or null. */
export async function lockTask(sql: Sql, tenantId: string, taskId: bigint): Promise<TaskFacts | null> {
  const [row] = await sql.rows<TaskFactsRow>(LOCK_TASK, taskId, tenantId);
  return row ? toTaskFacts(row) : null;
}
