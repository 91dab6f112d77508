import type { Database } from '../client.js';
import { NEXT_CROWD } from '../sql/claim-due-tasks.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';

/** A time after `from`, and not after `to`, by which more than so many tasks are due; null if there is none. */
export async function nextCrowd(database: Database, from: number, to: number, size: number): Promise<number | null> {
  const rows = await Sql.on(database).rows<{ next_fire_at: Date }>(NEXT_CROWD, sqlTime(from), sqlTime(to), size);
  return rows.length === 0 ? null : rows[0].next_fire_at.getTime();
}
