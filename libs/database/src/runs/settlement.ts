import {
  type Executor,
  failsTask,
  isFinal,
  LOST_AFTER_MS,
  type NotifyTargets,
  type RunStatus,
  type RunTrigger,
  statusUntilTold,
} from '#domain';
import { sqlTime, sqlTimeIf } from '../sql-time.js';

/** What an attempt that was carried out by others may be settled from; what a worker did itself is RUNNING until then. */
export type SettledFrom = 'RUNNING' | 'WAITING_CALLBACK' | 'RETRYING';

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
  /** Who does the run's work; HTTP unless it is said. */
  executor?: Executor;
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
  /** What started the run, and the trace it belongs to: for those who watch. */
  trigger?: RunTrigger;
  traceId?: string;
  /** How late the run began, where it should have been on time. */
  lateMs?: number;
  /** The execution leaves no attempt behind, only what it made of its run. */
  withoutAttempt?: boolean;
  /** The status the run is moved from; RUNNING unless it is said. In any other the settlement changes nothing. */
  from?: SettledFrom;
  /** The run's `wake_at` the decision was made on: if it has been moved since, the settlement changes nothing. */
  seenWakeAt?: number;
  /** It is the call that starts an ASYNC attempt: what became of that call is kept even if the run is settled already. */
  startsAsync?: boolean;
  /** The callback that closes it: written down with the run, so that the same again is known. */
  callback?: { outcome: 'SUCCESS' | 'FAILURE'; hash: string };
}

export const leavesSlot = ({ status }: Pick<Settlement, 'status'>): boolean =>
  status !== 'RETRYING' && status !== 'WAITING_CALLBACK';

/** When somebody must look at the run if nobody has moved it by then. */
export const wakeAtOf = ({ dueAgainAt }: Pick<Settlement, 'dueAgainAt'>): number | null =>
  dueAgainAt === null ? null : dueAgainAt + LOST_AFTER_MS;

/** What the run becomes: a success that somebody is to be told of is not one before they know. */
export const closedStatusOf = ({ notify, status }: Pick<Settlement, 'notify' | 'status'>): Settlement['status'] =>
  statusUntilTold(notify, status);

/** A row of those settle statements of PostgreSQL that take JSON, without what is null. The everyday one takes columns: settle-at-once.ts. */
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
    request: one.request ?? undefined,
    response: one.response ?? undefined,
    leaves: leavesSlot(one),
    failed_tick_attempt: failsTask(one.status) ? one.tickAttempt : undefined,
    from_status: one.from,
    seen_wake_at: sqlTimeIf(one.seenWakeAt),
    callback_outcome: one.callback?.outcome,
    callback_hash: one.callback?.hash,
  };
}
