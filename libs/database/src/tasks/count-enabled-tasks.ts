import type { Database } from '../client.js';
import { COUNT_ENABLED_TASKS } from '../sql/count-enabled-tasks.js';
import { Sql } from '../sql.js';

/** Not for every request: with a million tasks it takes a noticeable part of a second. */
export async function countEnabledTasks(database: Database): Promise<number> {
  const [{ enabled }] = await Sql.on(database).rows<{ enabled: number | bigint }>(COUNT_ENABLED_TASKS);
  return Number(enabled);
}
