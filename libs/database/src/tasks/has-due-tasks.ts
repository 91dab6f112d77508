import type { Database } from '../client.js';
import { sqlTime } from '../sql-time.js';
import { Sql, type Statement } from '../sql.js';

const ANY_DUE: Statement = {
  postgresql: 'SELECT 1 AS due FROM tasks WHERE next_fire_at >= $1 AND next_fire_at <= $2 LIMIT 1',
  mysql: 'SELECT 1 AS due FROM tasks WHERE next_fire_at >= ? AND next_fire_at <= ? LIMIT 1',
};

/** Whether a due task is left: one whose row somebody had locked when the tick came by. */
export async function hasDueTasks(database: Database, since: number, now: number): Promise<boolean> {
  const rows = await Sql.on(database).rows(ANY_DUE, sqlTime(since), sqlTime(now));
  return rows.length > 0;
}
