import type { Database } from '../client.js';
import { RESOLVE_RUN } from '../sql/handle-runs.js';
import { sqlTime } from '../sql-time.js';
import { inSqlTransaction } from '../transaction.js';
import { type Handling, holdPending, keepHandling } from './keep-handling.js';

export interface Resolution extends Handling {
  remark: string;
  /** Absent: what the run has stays. */
  result?: unknown;
}

/** PENDING becomes MANUALLY_PROCESSED, by whoever is first. It held no slot, so none comes free. */
export function resolveRun(database: Database, resolution: Resolution, now: number): Promise<void> {
  const { id, remark, result } = resolution;
  return inSqlTransaction(database, async (sql) => {
    await holdPending(sql, resolution, 'resolved');
    await keepHandling(sql, resolution, { action: 'RESOLVE', editsPayload: false }, now);
    await sql.run(RESOLVE_RUN, sqlTime(now), remark, jsonOrNull(result), id);
  });
}

export const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
