import type { CatchUpMode, ConcurrencyPolicy, Executor, FailureAction, OverlapAction, RetryPolicy } from '#domain';
import { fromJson } from '../sql-time.js';

/** A task as plan and admit see it: its schedule, its policies, its counters. Times are epoch milliseconds. */
export interface TaskFacts {
  id: bigint;
  tenantId: string;
  name: string;
  category: string | null;
  creator: string | null;
  cronExpr: string | null;
  timezone: string;
  retryPolicy: RetryPolicy;
  maxConcurrency: number;
  concurrencyPolicy: ConcurrencyPolicy;
  queueLimit: number;
  overlapAction: OverlapAction;
  failureAction: FailureAction;
  catchUpMode: CatchUpMode;
  catchUpLimit: number;
  maxLatenessSeconds: number | null;
  startAt: number | null;
  endAt: number | null;
  jitterSeconds: number;
  priority: number;
  executor: Executor;
  nextFireAt: number | null;
  activeRuns: number;
  queuedRuns: number;
  lastRunId: string | null;
  /** The newest run that was executed and has ended. */
  lastEndedRunId: string | null;
  failedTickAttempt: number | null;
  failureSkipped: boolean;
}

export interface TaskFactsRow {
  id: bigint;
  tenant_id: string;
  name: string;
  category: string | null;
  creator: string | null;
  cron_expr: string | null;
  timezone: string;
  retry_policy_json: unknown;
  max_concurrency: number;
  concurrency_policy: ConcurrencyPolicy;
  queue_limit: number;
  overlap_action: OverlapAction;
  failure_action: FailureAction;
  catch_up_mode: CatchUpMode;
  catch_up_limit: number;
  max_lateness_seconds: number | null;
  start_at: Date | null;
  end_at: Date | null;
  jitter_seconds: number;
  priority: number;
  executor: Executor;
  next_fire_at: Date | null;
  active_runs: number;
  queued_runs: number;
  last_run_id: string | null;
  last_ended_run_id: string | null;
  failed_tick_attempt: number | null;
  failure_skipped: boolean | number;
}

export function toTaskFacts(row: TaskFactsRow): TaskFacts {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    category: row.category,
    creator: row.creator,
    cronExpr: row.cron_expr,
    timezone: row.timezone,
    retryPolicy: fromJson(row.retry_policy_json) as RetryPolicy,
    maxConcurrency: row.max_concurrency,
    concurrencyPolicy: row.concurrency_policy,
    queueLimit: row.queue_limit,
    overlapAction: row.overlap_action,
    failureAction: row.failure_action,
    catchUpMode: row.catch_up_mode,
    catchUpLimit: row.catch_up_limit,
    maxLatenessSeconds: row.max_lateness_seconds,
    startAt: row.start_at?.getTime() ?? null,
    endAt: row.end_at?.getTime() ?? null,
    jitterSeconds: row.jitter_seconds,
    priority: row.priority,
    executor: row.executor,
    nextFireAt: row.next_fire_at?.getTime() ?? null,
    activeRuns: row.active_runs,
    queuedRuns: row.queued_runs,
    lastRunId: row.last_run_id,
    lastEndedRunId: row.last_ended_run_id,
    failedTickAttempt: row.failed_tick_attempt,
    failureSkipped: Boolean(row.failure_skipped),
  };
}
