import type { Database } from '../client.js';
import type { Clock } from '../clock.js';
import { freeSlots, lockTasks, type ReleasedRun } from '../runs/free-slots.js';
import { HOLD_BACKFILL } from '../sql/backfills.js';
import { CANCEL_RUNS, HOLD_IDLE_RUNS } from '../sql/cancel-runs.js';
import { COUNT_RUNS } from '../sql/release-queued-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { type BackfillRow, type HeldBackfill, heldBackfill, saveBackfill } from './backfill-row.js';

/**
 * Calls a backfill off: no more runs, and those nobody executes are CANCELED, their slots given to whoever waits. What
 * is RUNNING finishes. One that is over, or not there, stays as it is. Gives the runs that were released.
 */
export function cancelBackfill(
  database: Database,
  clock: Clock,
  { tenantId, id }: { tenantId: string; id: bigint },
): Promise<ReleasedRun[]> {
  return inSqlTransaction(database, async (sql) => {
    const [row] = await sql.rows<BackfillRow>(HOLD_BACKFILL, id, tenantId);
    if (row === undefined) return [];
    const backfill = heldBackfill(row);
    const now = clock.now();
    const { canceled, released } = await cancelRuns(sql, backfill, now);
    const { progress } = backfill;
    const openRuns = progress.openRuns.filter((runId) => !canceled.has(runId));
    const after = { ...progress, openRuns, status: 'CANCELED' as const, canceled: progress.canceled + canceled.size };
    await saveBackfill(sql, backfill, after, now);
    return released;
  });
}

async function cancelRuns(sql: Sql, { taskId, progress }: HeldBackfill, now: number) {
  const tasks = await lockTasks(sql, [taskId]);
  const wanted = JSON.stringify([...progress.openRuns].sort());
  const idle = await sql.rows<{ id: string; status: string }>(HOLD_IDLE_RUNS, wanted);
  if (idle.length === 0) return { canceled: new Set<string>(), released: [] };
  const ids = idle.map((run) => run.id);
  await sql.run(CANCEL_RUNS, JSON.stringify(ids), sqlTime(now), 'BACKFILL_CANCELED');
  // Those who wait are counted out first, so that the slots go to who is left in line.
  const queued = idle.filter((run) => run.status === 'QUEUED').length;
  await sql.run(COUNT_RUNS, JSON.stringify([{ id: String(taskId), active: 0, queued: -queued }]));
  const left = tasks.map((task) => ({ ...task, queued_runs: task.queued_runs - queued }));
  const released = await freeSlots(sql, left, new Map([[taskId, idle.length - queued]]), now);
  return { canceled: new Set(ids), released };
}
