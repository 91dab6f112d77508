import type { Database } from '../client.js';
import { CALLED_BACK } from '../sql/find-callback.js';
import { EXTEND_LEASES, STILL_RUNNING } from '../sql/leases.js';
import { sqlTime } from '../sql-time.js';
import { Sql, type Statement } from '../sql.js';
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

/**
 * Which of the executions a worker holds are no longer its own: cancelled, closed or taken over. One that was called back before
 * its target has answered is closed as well, but its call may go on: nobody else will make it, and its answer is kept.
 */
export async function lostExecutions(database: Database, executions: readonly Execution[]): Promise<Execution[]> {
  const closed = await without(database, STILL_RUNNING, executions);
  return closed.length === 0 ? [] : without(database, CALLED_BACK, closed);
}

async function without(database: Database, statement: Statement, executions: readonly Execution[]) {
  const rows = await Sql.on(database).rows<{ exec_id: string }>(statement, jsonOf(executions));
  const found = new Set(rows.map((row) => row.exec_id));
  return executions.filter(({ execId }) => !found.has(execId));
}

function jsonOf(executions: readonly Execution[]): string {
  return JSON.stringify(executions.map(({ id, execId }) => ({ id, exec_id: execId })).sort(byId));
}
