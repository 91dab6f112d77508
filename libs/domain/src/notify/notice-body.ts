import type { NoticeKind } from './notice.js';

/** What is known of a run when its team is told. Times are Dates. */
export interface ToldRun {
  id: string;
  taskId: string;
  taskName: string;
  trigger: string;
  scheduledTime: Date;
  startedAt: Date | null;
  creator: string | null;
  category: string | null;
  payload: unknown;
  result: unknown;
  traceId: string;
  /** How it ended. */
  status: string;
  attempt: number;
  endedAt: Date;
  httpStatus: number | null;
  errorCode: string | null;
  errorInfo: string | null;
}

/**
 * What a team gets. `ext` is what the run was given to work with; `result` and `error_info` are what came of it. A success is
 * told as SUCCESS: it is COMPLETED only until this very notice is acknowledged.
 */
export function noticeBody(id: string, kind: Exclude<NoticeKind, 'alert'>, run: ToldRun) {
  const facts = {
    delivery_id: id,
    event: kind,
    run_id: run.id,
    task_id: run.taskId,
    task_name: run.taskName,
    trigger: run.trigger,
    status: kind === 'success' ? 'SUCCESS' : run.status,
    scheduled_time: run.scheduledTime.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.endedAt.toISOString(),
    attempt: run.attempt,
    http_status: run.httpStatus,
    creator: run.creator,
    category: run.category,
    trace_id: run.traceId,
    ext: run.payload ?? null,
  };
  if (kind === 'success') return { ...facts, result: run.result ?? null };
  return { ...facts, error_code: run.errorCode, error_info: run.errorInfo };
}
