import { SET_ALARMS } from '../sql/alarms.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

export interface RunAlarmAt {
  runId: string;
  /** Epoch milliseconds. */
  at: number;
}

/** Has somebody look at the runs at that time, unless they are closed by then. */
export async function setAlarms(sql: Sql, alarms: readonly RunAlarmAt[]): Promise<void> {
  if (alarms.length === 0) return;
  const rows = alarms.map(({ runId, at }) => ({ run_id: runId, at: sqlTime(at) }));
  await sql.run(SET_ALARMS, JSON.stringify(rows));
}
