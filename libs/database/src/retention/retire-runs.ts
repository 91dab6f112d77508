import type { RetentionStep } from '#domain';
import type { Database } from '../client.js';
import { COPY_TO_ARCHIVE } from '../sql/archive-runs.js';
import { DELETE_BELONGINGS, DELETE_RUNS, HOLD_ENDED } from '../sql/delete-runs.js';
import { DUE_RUNS } from '../sql/due-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { type RetentionLease, underLease } from './lease.js';

/** One batch of a step: a tenant's runs from the left, behind those that have been looked at. */
export interface RetireOrder extends RetentionStep {
  tenantId: string;
  after: string;
  limit: number;
  now: number;
}

export interface RetiredRuns {
  retired: number;
  /** Where the next batch begins; null when there is none. */
  next: string | null;
}

/** Moves or deletes some runs, in one short transaction. Null when the lease is lost. */
export async function retireRuns(
  database: Database,
  lease: RetentionLease,
  order: RetireOrder,
): Promise<RetiredRuns | null> {
  const found = await dueRuns(database, order);
  if (found.length === 0) return { retired: 0, next: null };
  const retired = await underLease(database, lease, async (sql) => {
    const held = await sql.rows<{ id: string }>(
      ...([HOLD_ENDED[order.from], JSON.stringify(found), order.status, sqlTime(order.endedBefore)] as const),
    );
    if (held.length === 0) return 0;
    const ids = JSON.stringify(held.map(({ id }) => id));
    return order.action === 'archive' ? archive(sql, ids, held.length, order.now) : remove(sql, ids, order.from);
  });
  if (retired === null) return null;
  return { retired, next: found.length < order.limit ? null : (found.at(-1) ?? null) };
}

/** Without locks: only what is found is locked, by its id. */
async function dueRuns(database: Database, order: RetireOrder): Promise<string[]> {
  const { from, status, tenantId, after, beforeId, endedBefore, limit } = order;
  const live = status === 'SUCCESS' ? DUE_RUNS.everyday : DUE_RUNS.others;
  const statement = from === 'archive' ? DUE_RUNS.archived : live;
  const range = [after, beforeId, sqlTime(endedBefore)];
  const rows = await Sql.on(database).rows<{ id: string }>(statement, tenantId, status, ...range, limit);
  return rows.map(({ id }) => id);
}

/** All or nothing: a run is in one of the two tables, at any moment. */
async function archive(sql: Sql, ids: string, count: number, now: number): Promise<number> {
  const values = sql.dialect === 'mysql' ? [sqlTime(now), ids] : [ids, sqlTime(now)];
  const copied = await sql.run(COPY_TO_ARCHIVE, ...values);
  const removed = await sql.run(DELETE_RUNS.runs, ids);
  if (copied !== count || removed !== count)
    throw new Error(`of ${count} runs ${copied} were archived and ${removed} removed: nothing is changed`);
  return count;
}

async function remove(sql: Sql, ids: string, from: RetentionStep['from']): Promise<number> {
  for (const statement of DELETE_BELONGINGS) await sql.run(statement, ids);
  return sql.run(DELETE_RUNS[from], ids);
}
