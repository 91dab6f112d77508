import type { Database } from '../client.js';
import { WAKE_SOONER } from '../sql/alarms.js';
import { sqlTime } from '../sql-time.js';
import { inSqlTransaction } from '../transaction.js';
import { type RunAlarmAt, setAlarms } from './set-alarms.js';

/** The queue did not take these runs: they are looked at again then, not when their dispatch would count as lost. */
export function wakeSooner(database: Database, runs: readonly RunAlarmAt[]): Promise<void> {
  return inSqlTransaction(database, async (sql) => {
    await sql.run(WAKE_SOONER, JSON.stringify(runs.map(({ runId, at }) => ({ id: runId, at: sqlTime(at) }))));
    await setAlarms(sql, runs);
  });
}
