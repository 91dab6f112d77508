import type { Database } from '../client.js';
import { LEAVE_RETENTION, RENEW_RETENTION, TAKE_RETENTION } from '../sql/retention-lease.js';
import { Sql } from '../sql.js';
import { inSqlTransaction, retried } from '../transaction.js';

/** Who looks after what is old, and how long the others wait should it fall silent. */
export interface RetentionLease {
  holder: string;
  leaseMs: number;
}

/** False: another process is at it, or has just been. */
export async function takeRetention(database: Database, { holder, leaseMs }: RetentionLease): Promise<boolean> {
  return (await retried(() => Sql.on(database).run(TAKE_RETENTION, holder, leaseMs, holder))) > 0;
}

/** `restMs`: how long nobody need come again. */
export async function leaveRetention(database: Database, { holder }: RetentionLease, restMs: number): Promise<void> {
  await retried(() => Sql.on(database).run(LEAVE_RETENTION, restMs, holder));
}

/** One short transaction under the lease, which is renewed by it. Null when the lease is lost, and nothing was done. */
export function underLease<Result>(
  database: Database,
  { holder, leaseMs }: RetentionLease,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result | null> {
  return inSqlTransaction(database, async (sql) =>
    (await sql.run(RENEW_RETENTION, leaseMs, holder)) > 0 ? work(sql) : null,
  );
}
