import { CLAIM_DUE_TASKS, CLAIM_OTHER_DUE_TASKS, CLAIM_TASKS_AHEAD } from '../sql/claim-due-tasks.js';
import { idList } from '../id-list.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { type TaskFacts, type TaskFactsRow, toTaskFacts } from './task-facts.js';

/** What is due has a schedule and a second. */
export type DueTask = TaskFacts & { cronExpr: string; nextFireAt: number };

/** Locks and reads tasks that are due by `now`, leaving out some. */
export async function claimDueTasks(
  sql: Sql,
  now: number,
  limit: number,
  except: readonly bigint[] = [],
): Promise<DueTask[]> {
  const rows =
    except.length === 0
      ? await sql.rows<TaskFactsRow>(CLAIM_DUE_TASKS, sqlTime(now), limit)
      : await sql.rows<TaskFactsRow>(CLAIM_OTHER_DUE_TASKS, sqlTime(now), idList(except), limit);
  return rows.map((row) => toTaskFacts(row) as DueTask);
}

/** Locks and reads tasks that are due after `now`, and by `at`, and whose verdict is clear already. */
export async function claimTasksAhead(sql: Sql, now: number, at: number, limit: number): Promise<DueTask[]> {
  const rows = await sql.rows<TaskFactsRow>(CLAIM_TASKS_AHEAD, sqlTime(now), sqlTime(at), limit);
  return rows.map((row) => toTaskFacts(row) as DueTask);
}
