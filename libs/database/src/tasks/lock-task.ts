import { idList } from '../id-list.js';
import { LOCK_LIVE_TASKS, LOCK_TASK, TASK_IDS_BY_NAME } from '../sql/lock-task.js';
import type { Sql } from '../sql.js';
import { type TaskFacts, type TaskFactsRow, toTaskFacts } from './task-facts.js';

/** Locks and reads one live task, or null. */
export async function lockTask(sql: Sql, tenantId: string, taskId: bigint): Promise<TaskFacts | null> {
  const [row] = await sql.rows<TaskFactsRow>(LOCK_TASK, taskId, tenantId);
  return row ? toTaskFacts(row) : null;
}

/** Locks and reads those of the tasks that are live, by id. */
export async function lockLiveTasks(sql: Sql, ids: Iterable<bigint>): Promise<Map<bigint, TaskFacts>> {
  const ascending = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  if (ascending.length === 0) return new Map();
  const rows = await sql.rows<TaskFactsRow>(LOCK_LIVE_TASKS, idList(ascending));
  return new Map(rows.map((row) => [row.id, toTaskFacts(row)]));
}

/** Which live task of the tenant has which of the names. */
export async function taskIdsByName(sql: Sql, tenantId: string, names: Iterable<string>): Promise<Map<string, bigint>> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return new Map();
  const rows = await sql.rows<{ id: bigint; name: string }>(TASK_IDS_BY_NAME, JSON.stringify(wanted), tenantId);
  return new Map(rows.map(({ id, name }) => [name, id]));
}
