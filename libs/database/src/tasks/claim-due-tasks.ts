import { CLAIM_DUE_TASKS } from '../sql/claim-due-tasks.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { type TaskFacts, type TaskFactsRow, toTaskFacts } from './task-facts.js';

/** What is due has a schedule and a second. */
export type DueTask = TaskFacts & { cronExpr: string; nextFireAt: number };

/** Locks and reads tasks that are due by `now`. */
export async function claimDueTasks(sql: Sql, now: number, limit: number): Promise<DueTask[]> {
  const rows = await sql.rows<TaskFactsRow>(CLAIM_DUE_TASKS, sqlTime(now), limit);
  return rows.map((row) => toTaskFacts(row) as DueTask);
}
