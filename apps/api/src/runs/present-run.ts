import type { AnyRun, RunAttempt } from '#database';

/** A run as the outside sees it. */
export function presentRun(run: AnyRun) {
  return {
    id: run.id,
    task_id: String(run.taskId),
    task_name: run.taskName,
    trigger: run.trigger,
    category: run.category,
    creator: run.creator,
    priority: run.priority,
    ...outcomeOf(run),
    ...timesOf(run),
    ...executionOf(run),
    payload: run.payload,
    result: run.result,
    progress: run.progress,
    remark: run.remark,
    trace_id: run.traceId,
  };
}

export function presentAttempt(attempt: RunAttempt) {
  return {
    attempt: attempt.attempt,
    exec_id: attempt.execId,
    node: attempt.node,
    outcome: attempt.outcome,
    started_at: shown(attempt.startedAt),
    finished_at: shown(attempt.finishedAt),
    duration_ms: between(attempt.startedAt, attempt.finishedAt),
    request: parsed(attempt.request),
    response: parsed(attempt.response),
    http_status: attempt.httpStatus,
    error_code: attempt.errorCode,
    error_info: attempt.errorInfo,
  };
}

function outcomeOf(run: AnyRun) {
  return {
    status: run.status,
    skip_reason: run.skipReason,
    blocked_by: run.blockedBy,
    missed_from: shown(run.missedFrom),
    missed_count: run.missedCount,
    http_status: run.httpStatus,
    error_code: run.errorCode,
    error_info: run.errorInfo,
  };
}

function timesOf(run: AnyRun) {
  return {
    scheduled_time: shown(run.scheduledTime),
    queued_at: shown(run.queuedAt),
    started_at: shown(run.startedAt),
    finished_at: shown(run.finishedAt),
    archived_at: shown(run.archivedAt ?? null),
    deadline: shown(run.deadlineAt),
    heartbeat_deadline: shown(run.heartbeatDeadlineAt),
    duration_ms: between(run.startedAt, run.finishedAt),
    lateness_ms: between(run.scheduledTime, run.startedAt),
  };
}

function executionOf(run: AnyRun) {
  return {
    attempt: run.attempt,
    max_attempts: run.maxAttempts,
    tick_attempt: run.tickAttempt,
    exec_id: run.execId,
    node: run.node,
    attempt_timeout_seconds: run.attemptTimeoutSeconds,
  };
}

/** Kept as text, since nobody searches in it. */
export const parsed = (text: string | null): unknown => (text === null ? null : (JSON.parse(text) as unknown));

export const shown = (time: Date | null): string | null => time && time.toISOString();

const between = (from: Date | null, to: Date | null): number | null =>
  from && to ? Math.max(0, to.getTime() - from.getTime()) : null;
