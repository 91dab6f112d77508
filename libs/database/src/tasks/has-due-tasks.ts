import type { Database } from '../client.js';
import { idList } from '../id-list.js';
import { ANY_DUE_TASK } from '../sql/claim-due-tasks.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';

/** Whether a due task is left: one whose row somebody had locked when the tick came by. */
export async function hasDueTasks(database: Database, now: number, except: readonly bigint[] = []): Promise<boolean> {
  const rows = await Sql.on(database).rows(ANY_DUE_TASK, sqlTime(now), idList(except));
  return rows.length > 0;
}
