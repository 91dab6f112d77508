import type { Database } from '../client.js';
import { EXTEND_LEASES, STILL_RUNNING } from '../sql/leases.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';
import { byId } from './run-order.js';

export interface Execution {
  id: string;
  execId: string;
}

/** Prolongs the leases of what a worker is running; says which of them are no longer its own. */
export async function keepLeases(
  database: Database,
  executions: readonly Execution[],
  until: number,
): Promise<Execution[]> {
  const sql = Sql.on(database);
  const rows = JSON.stringify(executions.map(({ id, execId }) => ({ id, exec_id: execId })).sort(byId));
  const kept = await retried(() => sql.run(EXTEND_LEASES, rows, sqlTime(until)));
  if (kept === executions.length) return [];
  const own = new Set((await sql.rows<{ id: string }>(STILL_RUNNING, rows)).map((row) => row.id));
  return executions.filter(({ id }) => !own.has(id));
}
