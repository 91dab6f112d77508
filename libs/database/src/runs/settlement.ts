import { failsTask, isFinal, LOST_AFTER_MS, type NotifyTargets, type RunStatus, statusUntilTold } from '#domain';
import { sqlTime, sqlTimeIf } from '../sql-time.js';

/** What one execution came to, ready to be written. Times are epoch milliseconds. */
export interface Settlement {
  runId: string;
  taskId: bigint;
  tenantId: string;
  execId: string;
  attempt: number;
  tickAttempt: number;
  node: string | null;
  priority: number;
  /** The run's next status. */
  status: Exclude<RunStatus, 'SCHEDULED' | 'QUEUED' | 'RUNNING' | 'SKIPPED'>;
  /** How the execution itself ended. */
  outcome: 'SUCCESS' | 'FAILED' | 'TIMEOUT' | 'CANCELED' | 'LOST';
  startedAt: number;
  finishedAt: number;
  /** When a RETRYING run is due again. */
  dueAgainAt: number | null;
  httpStatus: number | null;
  errorCode: string | null;
  errorInfo: string | null;
  result: unknown;
  request: object | null;
  response: object | null;
  /** Whom the task's team has named to be told; null: nobody. */
  notify: NotifyTargets | null;
  /** How late the run began, where it should have been on time. */
  lateMs?: number;
  /** The execution leaves no attempt behind, only what it made of its run. */
  withoutAttempt?: boolean;
}

export const leavesSlot = ({ status }: Pick<Settlement, 'status'>): boolean =>
  status !== 'RETRYING' && status !== 'WAITING_CALLBACK';

/** When somebody must look at the run if nobody has moved it by then. */
export const wakeAtOf = ({ dueAgainAt }: Pick<Settlement, 'dueAgainAt'>): number | null =>
  dueAgainAt === null ? null : dueAgainAt + LOST_AFTER_MS;

/** What the run becomes: a success that somebody is to be told of is not one before they know. */
export const closedStatusOf = ({ notify, status }: Pick<Settlement, 'notify' | 'status'>): Settlement['status'] =>
  statusUntilTold(notify, status);

/** The row of the settle statements, without what is null. */
export function toRow(one: Settlement) {
  const status = closedStatusOf(one);
  return {
    id: one.runId,
    task_id: String(one.taskId),
    exec_id: one.execId,
    status,
    finished_at: isFinal(status) ? sqlTime(one.finishedAt) : undefined,
    wake_at: sqlTimeIf(wakeAtOf(one)),
    http_status: one.httpStatus ?? undefined,
    error_code: one.errorCode ?? undefined,
    error_info: one.errorInfo ?? undefined,
    result: one.result ?? undefined,
    tenant_id: one.tenantId,
    attempt: one.attempt,
    node: one.node ?? undefined,
    outcome: one.withoutAttempt ? undefined : one.outcome,
    began_at: sqlTime(one.startedAt),
    ended_at: sqlTime(one.finishedAt),
    request: one.request === null ? undefined : JSON.stringify(one.request),
    response: one.response === null ? undefined : JSON.stringify(one.response),
    leaves: leavesSlot(one),
    failed_tick_attempt: failsTask(one.status) ? one.tickAttempt : undefined,
  };
}
