import { LOST_AFTER_MS } from '#domain';
import type { Database } from '../client.js';
import { WAKE_LATER } from '../sql/alarms.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';

/** The queue brings these runs again then: nobody need think it has lost them before. Their alarms follow by themselves. */
export async function wakeLater(database: Database, ids: readonly string[], dueAt: number): Promise<void> {
  const at = sqlTime(dueAt + LOST_AFTER_MS);
  const rows = JSON.stringify([...ids].sort().map((id) => ({ id, at })));
  await retried(() => Sql.on(database).run(WAKE_LATER, rows));
}
