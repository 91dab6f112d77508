import { ALERT_WAIT_MS, alertId, type AlertKind, type RunStatus } from '#domain';
import { byId } from '../runs/run-order.js';
import { WRITE_ALERTS } from '../sql/write-alerts.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import type { NoticeToSend } from './write-notices.js';

/** A run that is worth an alert. Times are epoch milliseconds. */
export interface AlertedRun {
  alert: AlertKind;
  runId: string;
  taskId: bigint;
  tenantId: string;
  status: RunStatus;
  attempt: number;
  httpStatus?: number | null;
  errorCode?: string | null;
  errorInfo?: string | null;
  at: number;
}

/** Written with what it tells of, in the same transaction; the runs of a task and minute are one row, which tells of the first. */
export async function writeAlerts(sql: Sql, runs: readonly AlertedRun[]): Promise<NoticeToSend[]> {
  if (runs.length === 0) return [];
  const rows = new Map<string, ReturnType<typeof toRow>>();
  for (const run of runs) {
    const id = alertId(run.alert, run.taskId, run.at);
    const known = rows.get(id);
    if (known) known.count += 1;
    else rows.set(id, toRow(id, run));
  }
  await sql.run(WRITE_ALERTS, JSON.stringify([...rows.values()].sort(byId)));
  const dueAt = Math.max(...runs.map(({ at }) => at)) + ALERT_WAIT_MS;
  return [...rows.keys()].map((id) => ({ id, attempts: 0, dueAt }));
}

function toRow(id: string, run: AlertedRun) {
  return {
    id,
    tenant_id: run.tenantId,
    run_id: run.runId,
    task_id: String(run.taskId),
    alert: run.alert,
    count: 1,
    run_status: run.status,
    run_attempt: run.attempt,
    http_status: run.httpStatus ?? undefined,
    error_code: run.errorCode ?? undefined,
    error_info: run.errorInfo ?? undefined,
    at: sqlTime(run.at),
    due_at: sqlTime(run.at + ALERT_WAIT_MS),
  };
}
