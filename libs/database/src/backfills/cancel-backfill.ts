import type { Database } from '../client.js';
import type { Clock } from '../clock.js';
import { type CancelReport, cancelRuns, holdUnfinished } from '../runs/cancel-runs.js';
import { lockTasks } from '../runs/free-slots.js';
import { HOLD_BACKFILL } from '../sql/backfills.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import type { Witness } from '../witness.js';
import { type BackfillRow, type HeldBackfill, heldBackfill, saveBackfill } from './backfill-row.js';

/**
 * Calls a backfill off: no more runs, and those nobody executes are CANCELED, their slots given to whoever waits. What
 * is RUNNING finishes. One that is over, or not there, stays as it is.
 */
export function cancelBackfill(
  database: Database,
  clock: Clock,
  { tenantId, id, witness }: { tenantId: string; id: bigint; witness?: Witness },
): Promise<Pick<CancelReport, 'canceled' | 'released'>> {
  return inSqlTransaction(database, async (sql) => {
    const [row] = await sql.rows<BackfillRow>(HOLD_BACKFILL, id, tenantId);
    if (row === undefined) return { canceled: [], released: [] };
    const backfill = heldBackfill(row);
    const now = clock.now();
    const { canceled, released } = await cancelIdle(sql, backfill, now);
    const gone = new Set(canceled.map((run) => run.id));
    const { progress } = backfill;
    const openRuns = progress.openRuns.filter((runId) => !gone.has(runId));
    const after = { ...progress, openRuns, status: 'CANCELED' as const, canceled: progress.canceled + gone.size };
    await saveBackfill(sql, backfill, after, now);
    if (progress.status !== after.status) await witness?.(sql, progress.status);
    return { canceled, released };
  });
}

const REASON = { errorCode: 'BACKFILL_CANCELED', errorInfo: 'its backfill was cancelled' };

async function cancelIdle(sql: Sql, { taskId, progress }: HeldBackfill, now: number): Promise<CancelReport> {
  const tasks = await lockTasks(sql, [taskId]);
  const open = await holdUnfinished(sql, progress.openRuns);
  const idle = open.filter((run) => run.status !== 'RUNNING' && run.status !== 'WAITING_CALLBACK');
  return cancelRuns(sql, tasks, idle, () => REASON, now);
}
