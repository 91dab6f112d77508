import { LOST_AFTER_MS } from '#domain';
import type { Database } from '../client.js';
import { GIVE_BACK_RUNS } from '../sql/give-back-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';
import { type Execution, freeExecutions, jsonOf } from './keep-leases.js';

/**
 * Runs that were claimed and not called are anybody's again; the queue is to be told of them then. Answers with those that were given
 * back: the others are not, or no longer, under these executions, or somebody holds their rows.
 */
export async function giveBackRuns(
  database: Database,
  executions: readonly Execution[],
  dueAt: number,
): Promise<Execution[]> {
  const free = await freeExecutions(database, executions);
  if (free.length === 0) return [];
  await retried(() => Sql.on(database).run(GIVE_BACK_RUNS, jsonOf(free), sqlTime(dueAt + LOST_AFTER_MS)));
  return free;
}
