import type { Database } from '../client.js';
import { CALLED_BACK } from '../sql/find-callback.js';
import { EXTEND_LEASES, FREE_EXECUTIONS, STILL_RUNNING } from '../sql/leases.js';
import { sqlTime } from '../sql-time.js';
import { Sql, type Statement } from '../sql.js';
import { retried } from '../transaction.js';
import { byId } from './run-order.js';

export interface Execution {
  id: string;
  execId: string;
}

export interface KeptLeases {
  /** Those that are no longer the worker's own. */
  lost: Execution[];
  /** Those that are, but somebody holds their rows: their leases were not prolonged. */
  held: Execution[];
}

/** Prolongs the leases of what a worker is running. */
export async function keepLeases(
  database: Database,
  executions: readonly Execution[],
  until: number,
): Promise<KeptLeases> {
  const free = await freeExecutions(database, executions);
  const kept = free.length === 0 ? 0 : await extend(database, free, until);
  if (kept === executions.length) return { lost: [], held: [] };
  const running = await among(database, STILL_RUNNING, executions);
  const closed = executions.filter(({ execId }) => !running.has(execId));
  const isFree = new Set(free.map(({ execId }) => execId));
  const held = executions.filter(({ execId }) => running.has(execId) && !isFree.has(execId));
  return { lost: await withoutCalledBack(database, closed), held };
}

const extend = (database: Database, executions: readonly Execution[], until: number): Promise<number> =>
  retried(() => Sql.on(database).run(EXTEND_LEASES, jsonOf(executions), sqlTime(until)));

/** Those that are still RUNNING and whose rows nobody holds. */
export async function freeExecutions(database: Database, executions: readonly Execution[]): Promise<Execution[]> {
  const rows = await Sql.on(database).rows<{ id: string; exec_id: string }>(FREE_EXECUTIONS, jsonOf(executions));
  return rows.map(({ id, exec_id: execId }) => ({ id, execId }));
}

/**
 * Which of the executions a worker holds are no longer its own: cancelled, closed or taken over. One that was called back before
 * its target has answered is closed as well, but its call may go on: nobody else will make it, and its answer is kept.
 */
export async function lostExecutions(database: Database, executions: readonly Execution[]): Promise<Execution[]> {
  const running = await among(database, STILL_RUNNING, executions);
  return withoutCalledBack(
    database,
    executions.filter(({ execId }) => !running.has(execId)),
  );
}

async function withoutCalledBack(database: Database, closed: readonly Execution[]): Promise<Execution[]> {
  if (closed.length === 0) return [];
  const calledBack = await among(database, CALLED_BACK, closed);
  return closed.filter(({ execId }) => !calledBack.has(execId));
}

async function among(database: Database, statement: Statement, executions: readonly Execution[]): Promise<Set<string>> {
  const rows = await Sql.on(database).rows<{ exec_id: string }>(statement, jsonOf(executions));
  return new Set(rows.map((row) => row.exec_id));
}

/** As the statements about executions take them. */
export function jsonOf(executions: readonly Execution[]): string {
  return JSON.stringify(executions.map(({ id, execId }) => ({ id, exec_id: execId })).sort(byId));
}
