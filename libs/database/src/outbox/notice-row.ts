import { randomBytes } from 'node:crypto';
import { noticeOf, type NotifyTargets, type RunStatus } from '#domain';
import { sqlTime } from '../sql-time.js';

/** A run that has come to an end, and what its team is to be told of it. Times are epoch milliseconds. */
export interface ToldEnding {
  runId: string;
  taskId: bigint;
  tenantId: string;
  notify: NotifyTargets | null;
  status: RunStatus;
  attempt: number;
  httpStatus: number | null;
  errorCode: string | null;
  errorInfo: string | null;
  finishedAt: number;
}

/** A row of INSERT_NOTICES. */
export interface NoticeRow {
  id: string;
  tenant_id: string;
  run_id: string;
  task_id: string;
  kind: string;
  url: string;
  method: string;
  signed?: true;
  run_status: RunStatus;
  run_attempt: number;
  http_status?: number;
  error_code?: string;
  error_info?: string;
  at: string;
}

/** Starts with the time, so that newer ids sort after older ones; never all digits, which the queue would not take. */
export function newDeliveryId(now: number): string {
  return `msg_${Math.floor(now).toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;
}

/** Nothing where nobody asked to be told. */
export function noticeRowsOf(one: ToldEnding): NoticeRow[] {
  if (one.notify === null) return [];
  const notice = noticeOf(one.notify, one.status);
  if (notice === null) return [];
  return [
    {
      id: newDeliveryId(one.finishedAt),
      tenant_id: one.tenantId,
      run_id: one.runId,
      task_id: String(one.taskId),
      ...notice,
      run_status: one.status,
      run_attempt: one.attempt,
      http_status: one.httpStatus ?? undefined,
      error_code: one.errorCode ?? undefined,
      error_info: one.errorInfo ?? undefined,
      at: sqlTime(one.finishedAt),
    },
  ];
}
