import type { Database } from '../client.js';
import { CALLED_BACK } from '../sql/find-callback.js';
import { EXTEND_LEASES, HOLD_LEASES, STILL_RUNNING } from '../sql/leases.js';
import { sqlTime } from '../sql-time.js';
import { Sql, type Statement } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { byId } from './run-order.js';

export interface Execution {
  id: string;
  execId: string;
}

export interface KeptLeases {
  /** Those that are no longer the worker's own. */
  lost: Execution[];
  /** Somebody holds the row of one that is: its lease was not prolonged. */
  someHeld: boolean;
}

/** Prolongs the leases of what a worker is running. */
export async function keepLeases(
  database: Database,
  executions: readonly Execution[],
  until: number,
): Promise<KeptLeases> {
  const kept = await inSqlTransaction(database, async (sql) => {
    const own = await sql.rows<{ id: string }>(HOLD_LEASES, jsonOf(executions));
    if (own.length > 0) await sql.run(EXTEND_LEASES, JSON.stringify(own.map(({ id }) => id)), sqlTime(until));
    return own.length;
  });
  const lost = kept === executions.length ? [] : await lostExecutions(database, executions);
  return { lost, someHeld: kept + lost.length < executions.length };
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
