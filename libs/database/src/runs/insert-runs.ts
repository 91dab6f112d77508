import { type Executor, FIRST_LOOK_MS, LOST_AFTER_MS, type RunStatus, type RunTrigger, type SkipReason } from '#domain';
import { ADD_COLD_RUNS } from '../sql/cold-runs.js';
import { INSERT_RUNS } from '../sql/insert-runs.js';
import { sqlTime, sqlTimeIf } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { offerRuns } from '../agents/offer-runs.js';
import { blockersOf } from './blockers-of.js';
import { type RunAlarmAt, setAlarms } from './set-alarms.js';

/** A run row as it is first written. Times are epoch milliseconds. */
export interface NewRun {
  id: string;
  tenantId: string;
  taskId: bigint;
  taskName: string;
  trigger: RunTrigger;
  category: string | null;
  creator: string | null;
  priority: number;
  /** Who does its work; HTTP unless it is said. */
  executor?: Executor;
  status: Extract<RunStatus, 'SCHEDULED' | 'QUEUED' | 'SKIPPED'>;
  skipReason: SkipReason | null;
  /** The run that failed, where that is why this one is skipped; other blockers are looked up. */
  blockedBy?: string | null;
  missedFrom: number | null;
  missedCount: number | null;
  scheduledTime: number;
  /** Until when it may start; a run that cannot is SKIPPED (LATE). */
  startBefore?: number | null;
  /** When the row was admitted. */
  queuedAt: number;
  /** When its call is due: the scheduled time, later under jitter. */
  dueAt: number;
  finishedAt: number | null;
  /** Null in a SCHEDULED run: it is cold, and waits for its scheduled time without a slot. */
  wakeAt: number | null;
  maxAttempts: number;
  tickAttempt: number;
  attemptTimeoutSeconds: number | null;
  payload: unknown;
  traceId: string;
}

/** Whether the run waits for its time in the database alone. */
export const isColdRun = ({ status, wakeAt }: Pick<NewRun, 'status' | 'wakeAt'>): boolean =>
  status === 'SCHEDULED' && wakeAt === null;

/**
 * Writes the rows, and sets an alarm for each that is to be executed, or the time to admit it if it is cold. A run that is skipped for another names it: by the
 * counters as they are, so the caller moves them afterwards.
 */
export async function insertRuns(sql: Sql, runs: readonly NewRun[]): Promise<void> {
  if (runs.length === 0) return;
  const blockers = await blockersOf(sql, runs, runs[0].queuedAt);
  const rows = runs.map((run) => toRow(run, blockers.get(run.id) ?? run.blockedBy));
  await sql.run(INSERT_RUNS, JSON.stringify(rows));
  if (sql.dialect === 'mysql') await setAlarms(sql, runs.flatMap(alarmOf));
  if (runs.some(isForAgents)) await offerRuns(sql, runs.filter(isForAgents));
  const cold = runs.filter(isColdRun);
  if (cold.length > 0) await sql.run(ADD_COLD_RUNS, JSON.stringify(cold.map(toColdRow)));
}

/** Cold ones become theirs when they are admitted, waiting ones when they get a slot. */
const isForAgents = ({ executor, status, wakeAt }: NewRun): boolean =>
  executor === 'AGENT' && status === 'SCHEDULED' && wakeAt !== null;

function toColdRow({ id, tenantId, taskId, scheduledTime }: NewRun) {
  return { start_at: sqlTime(scheduledTime), run_id: id, tenant_id: tenantId, task_id: String(taskId) };
}

/** Early: an alarm costs one look, and the run's own `wakeAt` decides whether it is about anything. */
function alarmOf({ id, wakeAt, dueAt }: NewRun): RunAlarmAt[] {
  if (wakeAt === null) return [];
  return [{ runId: id, at: Math.max(wakeAt - LOST_AFTER_MS, dueAt) + FIRST_LOOK_MS }];
}

/** Without what is null. */
function toRow(run: NewRun, blockedBy: string | null | undefined) {
  return {
    id: run.id,
    tenant_id: run.tenantId,
    task_id: String(run.taskId),
    task_name: run.taskName,
    trigger: run.trigger,
    category: run.category ?? undefined,
    creator: run.creator ?? undefined,
    priority: run.priority,
    status: run.status,
    skip_reason: run.skipReason ?? undefined,
    blocked_by: blockedBy ?? undefined,
    missed_from: sqlTimeIf(run.missedFrom),
    missed_count: run.missedCount ?? undefined,
    scheduled_time: sqlTime(run.scheduledTime),
    start_before: sqlTimeIf(run.startBefore),
    queued_at: sqlTime(run.queuedAt),
    finished_at: sqlTimeIf(run.finishedAt),
    wake_at: sqlTimeIf(run.wakeAt),
    alarm_at: sqlTimeIf(alarmOf(run)[0]?.at),
    max_attempts: run.maxAttempts,
    tick_attempt: run.tickAttempt,
    attempt_timeout_seconds: run.attemptTimeoutSeconds ?? undefined,
    payload: run.payload ?? undefined,
    trace_id: run.traceId,
  };
}
