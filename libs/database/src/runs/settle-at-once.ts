import type { Statement } from '../driver.js';
import { SETTLE_AT_ONCE } from '../sql/settle-at-once.js';
import type { Sql } from '../sql.js';

const STATEMENT: Statement = { postgresql: SETTLE_AT_ONCE, mysql: 'SELECT 1 FROM only_postgresql_settles_at_once' };

/** Ids of the runs that were closed; null when somebody waits for a slot of their tasks, and then nothing was done. */
export async function settleAtOnce(sql: Sql, rows: string): Promise<Set<string> | null> {
  const [{ waiting, ids }] = await sql.rows<{ waiting: boolean; ids: string[] }>(STATEMENT, rows);
  return waiting ? null : new Set(ids);
}
