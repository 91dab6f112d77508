import type { Executor } from '#domain';
import { DROP_OFFERS, HOLD_OFFERS, OFFER_LOST_RUNS, OFFER_RUNS } from '../sql/agent-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

export interface OfferedRun {
  id: string;
  /** Epoch milliseconds: from when on an agent may have it. */
  dueAt: number;
  executor?: Executor;
}

/** Makes those of the runs available to agents that are theirs; without any, nothing is asked of the database. */
export async function offerRuns(sql: Sql, runs: readonly OfferedRun[]): Promise<void> {
  const rows = rowsOf(runs);
  if (rows.length > 0) await sql.run(OFFER_RUNS, JSON.stringify(rows));
}

/** The same for those that are not available, though they should be. Gives their number. */
export async function offerLostRuns(sql: Sql, runs: readonly OfferedRun[]): Promise<number> {
  const rows = rowsOf(runs);
  return rows.length === 0 ? 0 : sql.run(OFFER_LOST_RUNS, JSON.stringify(rows));
}

/** Runs that are closed are nobody's to claim: those that would be in the way of others. The caller holds the runs. */
export async function withdrawRuns(
  sql: Sql,
  runs: readonly { id: string; executor?: Executor }[],
): Promise<Map<string, Date>> {
  const ids = runs.filter(({ executor }) => executor === 'AGENT').map((run) => run.id);
  if (ids.length === 0) return new Map();
  const held = await sql.rows<{ run_id: string; available_at: Date }>(HOLD_OFFERS, JSON.stringify(ids.sort()));
  if (held.length > 0) await sql.run(DROP_OFFERS, JSON.stringify(held.map((row) => row.run_id).sort()));
  return new Map(held.map((row) => [row.run_id, row.available_at]));
}

const rowsOf = (runs: readonly OfferedRun[]) =>
  runs.filter(({ executor }) => executor === 'AGENT').map(({ id, dueAt }) => ({ id, at: sqlTime(dueAt) }));
