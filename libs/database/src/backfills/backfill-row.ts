import type { BackfillCounts } from '#domain';
import { SAVE_BACKFILL } from '../sql/backfills.js';
import { FORGET_KEPT_FROM } from '../sql/task-logs.js';
import { fromJson, sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

/** How far a backfill has come. Times are epoch seconds. */
export interface BackfillProgress extends BackfillCounts {
  status: 'RUNNING' | 'DONE' | 'CANCELED';
  /** The last second that is decided. */
  cursor: number;
  created: number;
  existing: number;
}

/** A backfill whose row the transaction holds. */
export interface HeldBackfill {
  id: bigint;
  tenantId: string;
  taskId: bigint;
  cronExpr: string;
  timezone: string;
  maxParallel: number;
  /** The last due second there is. */
  last: number;
  traceId: string;
  progress: BackfillProgress;
}

export interface BackfillRow {
  id: bigint;
  tenant_id: string;
  task_id: bigint;
  status: BackfillProgress['status'];
  cron_expr: string;
  timezone: string;
  max_parallel: number;
  cursor_at: Date;
  last_at: Date | null;
  created_runs: number;
  existing_runs: number;
  succeeded_runs: number;
  failed_runs: number;
  canceled_runs: number;
  open_runs: unknown;
  trace_id: string;
}

export function heldBackfill(row: BackfillRow): HeldBackfill {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    taskId: row.task_id,
    cronExpr: row.cron_expr,
    timezone: row.timezone,
    maxParallel: row.max_parallel,
    last: secondOf(row.last_at ?? row.cursor_at),
    traceId: row.trace_id,
    progress: progressOf(row),
  };
}

function progressOf(row: BackfillRow): BackfillProgress {
  return {
    status: row.status,
    cursor: secondOf(row.cursor_at),
    created: row.created_runs,
    existing: row.existing_runs,
    succeeded: row.succeeded_runs,
    failed: row.failed_runs,
    canceled: row.canceled_runs,
    openRuns: fromJson(row.open_runs) as string[],
  };
}

const secondOf = (time: Date): number => time.getTime() / 1000;

/** Writes the progress down; ends the backfill when nothing is left to decide and no run of it is open. */
export async function saveBackfill(
  sql: Sql,
  { id, last, taskId }: Pick<HeldBackfill, 'id' | 'last' | 'taskId'>,
  progress: BackfillProgress,
  now: number,
): Promise<void> {
  const { status, cursor, created, existing, succeeded, failed, canceled, openRuns } = progress;
  const isOver = openRuns.length === 0 && (status !== 'RUNNING' || cursor >= last);
  await sql.run(
    SAVE_BACKFILL,
    isOver && status === 'RUNNING' ? 'DONE' : status,
    sqlTime(cursor * 1000),
    ...[created, existing, succeeded, failed, canceled],
    JSON.stringify(openRuns),
    sqlTime(now),
    isOver ? sqlTime(now) : null,
    id,
  );
  if (isOver) await sql.run(FORGET_KEPT_FROM, taskId);
}
