import type { Executor } from '#domain';
import { OFFER_RUNS } from '../sql/agent-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

export interface OfferedRun {
  id: string;
  /** Epoch milliseconds: from when on an agent may have it. */
  dueAt: number;
  executor?: Executor;
}

/** Makes those of the runs available to agents that are theirs; without any, nothing is asked of the database. */
export async function offerRuns(sql: Sql, runs: readonly OfferedRun[]): Promise<number> {
  const rows = runs.filter(({ executor }) => executor === 'AGENT').map(({ id, dueAt }) => ({ id, at: sqlTime(dueAt) }));
  return rows.length === 0 ? 0 : sql.run(OFFER_RUNS, JSON.stringify(rows));
}
