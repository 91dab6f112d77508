import { FIRST_LOOK_MS, LOST_AFTER_MS, type RunStatus, type SkipReason } from '#domain';
import { WARM_RUNS } from '../sql/cold-runs.js';
import { sqlTimeIf } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { blockersOf } from './blockers-of.js';
import { byId } from './run-order.js';
import { setAlarms } from './set-alarms.js';

/** What admitting a cold run decided. Times are epoch milliseconds. */
export interface WarmedRun {
  id: string;
  taskId: bigint;
  status: Extract<RunStatus, 'SCHEDULED' | 'QUEUED' | 'SKIPPED' | 'CANCELED'>;
  skipReason: SkipReason | null;
  /** Set in a SCHEDULED run alone. */
  wakeAt: number | null;
  startBefore: number | null;
  maxAttempts: number;
  finishedAt: number | null;
  errorCode: string | null;
}

/** Writes what was decided, with an alarm for each run that has a slot. The caller moves the counters afterwards. */
export async function warmRuns(sql: Sql, runs: readonly WarmedRun[], now: number): Promise<void> {
  if (runs.length === 0) return;
  const blockers = await blockersOf(sql, runs, now);
  const rows = runs.map((run) => toRow(run, blockers.get(run.id) ?? null)).sort(byId);
  await sql.run(WARM_RUNS, JSON.stringify(rows));
  await setAlarms(
    sql,
    runs.flatMap(({ id, wakeAt }) =>
      wakeAt === null ? [] : [{ runId: id, at: wakeAt - LOST_AFTER_MS + FIRST_LOOK_MS }],
    ),
  );
}

function toRow(run: WarmedRun, blockedBy: string | null) {
  return {
    id: run.id,
    status: run.status,
    wake_at: sqlTimeIf(run.wakeAt),
    start_before: sqlTimeIf(run.startBefore),
    max_attempts: run.maxAttempts,
    skip_reason: run.skipReason,
    blocked_by: blockedBy,
    finished_at: sqlTimeIf(run.finishedAt),
    error_code: run.errorCode,
  };
}
