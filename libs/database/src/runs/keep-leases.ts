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
  const kept = await retried(() => sql.run(EXTEND_LEASES, jsonOf(executions), sqlTime(until)));
  return kept === executions.length ? [] : lostExecutions(database, executions);
}

/** Which of the executions a worker holds are no longer its own: cancelled, closed or taken over. */
export async function lostExecutions(database: Database, executions: readonly Execution[]): Promise<Execution[]> {
  const rows = await Sql.on(database).rows<{ exec_id: string }>(STILL_RUNNING, jsonOf(executions));
  const own = new Set(rows.map((row) => row.exec_id));
  return executions.filter(({ execId }) => !own.has(execId));
}

function jsonOf(executions: readonly Execution[]): string {
  return JSON.stringify(executions.map(({ id, execId }) => ({ id, exec_id: execId })).sort(byId));
}
