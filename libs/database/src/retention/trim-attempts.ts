import type { DroppedAttempts } from '#domain';
import type { Database } from '../client.js';
import { DROP_ATTEMPTS, DROP_STARTS } from '../sql/trim-attempts.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';

/** Shortens the logs of runs that have had very many attempts. Doing it twice, or later, does no harm. */
export async function dropAttempts(database: Database, dropped: readonly DroppedAttempts[]): Promise<void> {
  if (dropped.length === 0) return;
  const rows = JSON.stringify(dropped.map(({ runId, upTo }) => ({ run_id: runId, up_to: upTo })));
  await retried(() => Sql.on(database).run(DROP_ATTEMPTS, rows));
  await retried(() => Sql.on(database).run(DROP_STARTS, rows));
}
