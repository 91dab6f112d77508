import type { RunStatus, SkipReason } from '#domain';
import type { Database } from '../client.js';
import { TAKE_BACKFILL } from '../sql/backfills.js';
import { RUN_STATES } from '../sql/run-states.js';
import type { Sql } from '../sql.js';
import { type BackfillRow, type HeldBackfill, heldBackfill } from './backfill-row.js';

/** Ids of backfills that still have something to do, oldest first. */
export async function unfinishedBackfills({ client }: Database, after: bigint, limit: number): Promise<bigint[]> {
  const where = { finishedAt: null, id: { gt: after } };
  const rows = await client.backfill.findMany({ where, orderBy: { id: 'asc' }, take: limit, select: { id: true } });
  return rows.map(({ id }) => id);
}

/** Holds it until the transaction ends; null when another scheduler does, or it is over. */
export async function takeBackfill(sql: Sql, id: bigint): Promise<HeldBackfill | null> {
  const [row] = await sql.rows<BackfillRow>(TAKE_BACKFILL, id);
  return row ? heldBackfill(row) : null;
}

export interface RunState {
  id: string;
  status: RunStatus;
  skip_reason: SkipReason | null;
}

/** How these runs stand, archived ones too; those without a row are not in the answer. */
export async function runStates(sql: Sql, ids: readonly string[]): Promise<Map<string, RunState>> {
  if (ids.length === 0) return new Map();
  const asked = JSON.stringify(ids);
  const rows = await sql.rows<RunState>(RUN_STATES, asked, asked);
  return new Map(rows.map((row) => [row.id, row]));
}
