import type { Outbox } from '#database';

/** A delivery as the outside sees it. */
export function presentDelivery(row: Outbox) {
  return {
    id: row.id,
    kind: row.kind,
    alert: row.alert,
    alert_count: row.alert === null ? null : row.alertCount,
    run_id: row.runId,
    task_id: String(row.taskId),
    url: row.url === '' ? null : row.url,
    method: row.method,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: shown(row.nextAttemptAt),
    last_attempt_at: shown(row.lastAttemptAt),
    last_status: row.lastStatus,
    last_error: row.lastError,
    created_at: row.createdAt.toISOString(),
    delivered_at: shown(row.deliveredAt),
  };
}

const shown = (time: Date | null): string | null => time && time.toISOString();
