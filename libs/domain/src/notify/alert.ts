import type { RunStatus } from '../run/statuses.js';

/** What whoever runs the deployment may want to hear of. */
export const ALERT_KINDS = ['failure', 'pending', 'missed', 'lateness'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export interface AlertRules {
  on: readonly AlertKind[];
  latenessMs: number;
}

/** How long the first of a minute waits for others of its kind, so that they are told together. */
export const ALERT_WAIT_MS = 5_000;
const MINUTE_MS = 60_000;

/** What an execution that ended like this is worth an alert for. `lateMs`: how late it began, if it should have been on time. */
export function alertsOf(rules: AlertRules, ended: { status: RunStatus; lateMs?: number }): AlertKind[] {
  const { status, lateMs = 0 } = ended;
  const kinds: AlertKind[] = [];
  if (status === 'FAILED' || status === 'TIMEOUT') kinds.push('failure');
  if (status === 'PENDING') kinds.push('pending');
  if (lateMs > rules.latenessMs) kinds.push('lateness');
  return kinds.filter((kind) => rules.on.includes(kind));
}

/**
 * One alert of a kind for a task and minute: the same id, so that a storm of failures is one row and one call. Starts with the
 * time, as the ids of notices do.
 */
export function alertId(kind: AlertKind, taskId: bigint, at: number): string {
  const minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  return `msg_${minute.toString(16).padStart(12, '0')}-${kind}-${taskId.toString(36)}`;
}

/** What an alert tells; of several, the first. */
export interface AlertFacts {
  alert: string;
  count: number;
  runId: string | null;
  taskId: string;
  endedAt: Date;
  errorCode: string | null;
  errorInfo: string | null;
  /** Null when it is not there any more. */
  run: {
    taskName: string;
    status: string;
    trigger: string;
    attempt: number;
    scheduledTime: Date;
    startedAt: Date | null;
    missedFrom: Date | null;
    missedCount: number | null;
    traceId: string;
  } | null;
}

export function alertBody(id: string, { run, ...facts }: AlertFacts) {
  return {
    delivery_id: id,
    event: 'alert',
    alert: facts.alert,
    count: facts.count,
    task_id: facts.taskId,
    task_name: run?.taskName ?? null,
    run_id: facts.runId,
    status: run?.status ?? null,
    trigger: run?.trigger ?? null,
    attempt: run?.attempt ?? null,
    scheduled_time: run?.scheduledTime.toISOString() ?? null,
    started_at: run?.startedAt?.toISOString() ?? null,
    lateness_ms: run?.startedAt ? Math.max(0, run.startedAt.getTime() - run.scheduledTime.getTime()) : null,
    missed_from: run?.missedFrom?.toISOString() ?? null,
    missed_count: run?.missedCount ?? null,
    error_code: facts.errorCode,
    error_info: facts.errorInfo,
    at: facts.endedAt.toISOString(),
    trace_id: run?.traceId ?? null,
  };
}
