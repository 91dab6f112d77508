import type { Database } from '../client.js';
import { idList } from '../id-list.js';
import { TENANTS } from '../sql/recount.js';
import { DELETE_BACKFILLS, DELETE_TASK_LOGS, DELETE_TASKS, DELETED_TASKS } from '../sql/retention-leftovers.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { type RetentionLease, underLease } from './lease.js';

export async function tenants(database: Database): Promise<string[]> {
  const rows = await Sql.on(database).rows<{ tenant_id: string }>(TENANTS);
  return rows.map((row) => row.tenant_id);
}

/** Null when the lease is lost. */
export function deleteBackfills(
  database: Database,
  lease: RetentionLease,
  endedBefore: number,
  limit: number,
): Promise<number | null> {
  return underLease(database, lease, (sql) => sql.run(DELETE_BACKFILLS, sqlTime(endedBefore), limit));
}

/**
 * Forgets deleted tasks of a tenant that have no runs, deliveries or backfills left: a page of them, from `after` on. Gives where the
 * next page begins, or 0 after the last one; null when the lease is lost.
 */
export async function deleteTasks(
  database: Database,
  lease: RetentionLease,
  { tenantId, after, limit, deletedBefore }: { tenantId: string; after: bigint; limit: number; deletedBefore: number },
): Promise<{ deleted: number; next: bigint } | null> {
  const rows = await Sql.on(database).rows<{ id: bigint }>(DELETED_TASKS, tenantId, after, limit);
  if (rows.length === 0) return { deleted: 0, next: 0n };
  const ids = idList(rows.map(({ id }) => id));
  const deleted = await underLease(database, lease, async (sql) => {
    const count = await sql.run(DELETE_TASKS, ids, sqlTime(deletedBefore));
    if (count > 0) await sql.run(DELETE_TASK_LOGS, ids);
    return count;
  });
  if (deleted === null) return null;
  return { deleted, next: rows.length < limit ? 0n : (rows.at(-1)?.id ?? 0n) };
}
