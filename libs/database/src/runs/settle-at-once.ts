import type { Statement } from '../driver.js';
import { SETTLE_AT_ONCE, SETTLE_CALLBACKS_AT_ONCE } from '../sql/settle-at-once.js';
import type { Sql } from '../sql.js';

const onlyPostgres = (postgresql: string): Statement => ({
  postgresql,
  mysql: 'SELECT 1 FROM only_postgresql_settles_at_once',
});
const STATEMENT = onlyPostgres(SETTLE_AT_ONCE);
const WITH_CALLBACKS = onlyPostgres(SETTLE_CALLBACKS_AT_ONCE);

/** Ids of the runs that were closed; null when somebody waits for a slot of their tasks, and then nothing was done. */
export async function settleAtOnce(sql: Sql, rows: string, hasCallbacks: boolean): Promise<Set<string> | null> {
  const statement = hasCallbacks ? WITH_CALLBACKS : STATEMENT;
  const [{ waiting, ids }] = await sql.rows<{ waiting: boolean; ids: string[] }>(statement, rows);
  return waiting ? null : new Set(ids);
}
