import { LOST_AFTER_MS } from '#domain';
import type { Database } from '../client.js';
import { GIVE_BACK_RUNS } from '../sql/give-back-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';
import type { Execution } from './keep-leases.js';
import { byId } from './run-order.js';

/** Runs that were claimed and not called are anybody's again; the queue is to be told of them then. Answers with their number. */
export function giveBackRuns(database: Database, executions: readonly Execution[], dueAt: number): Promise<number> {
  const rows = JSON.stringify(executions.map(({ id, execId }) => ({ id, exec_id: execId })).sort(byId));
  return retried(() => Sql.on(database).run(GIVE_BACK_RUNS, rows, sqlTime(dueAt + LOST_AFTER_MS)));
}
