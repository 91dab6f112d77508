import type { CallbackMethod, LatePolicy, LogMode, NotifyTargets, RetryPolicy, RunStatus, RunTrigger } from '#domain';
import type { Database } from '../client.js';
import { FIND_ARCHIVED_CALLBACK, FIND_CALLBACK } from '../sql/find-callback.js';
import { fromJson } from '../sql-time.js';
import { Sql } from '../sql.js';

/** A run that may be called back, as it stands. */
export interface CallableRun {
  id: string;
  taskId: bigint;
  tenantId: string;
  status: RunStatus;
  execId: string | null;
  attempt: number;
  maxAttempts: number;
  tickAttempt: number;
  priority: number;
  node: string | null;
  trigger: RunTrigger;
  traceId: string;
  scheduledTime: number;
  deadlineAt: number | null;
  heartbeatDeadlineAt: number | null;
  callbackMethod: CallbackMethod;
  heartbeatTimeoutSec: number | null;
  latePolicy: LatePolicy;
  retryPolicy: RetryPolicy;
  needManual: boolean;
  logMode: LogMode;
  notify: NotifyTargets | null;
  tokens: CallbackToken[];
}

/** An attempt of it that was given a token. */
export interface CallbackToken {
  attempt: number;
  execId: string;
  tokenHash: string;
  outcome: string | null;
  outcomeHash: string | null;
  startedAt: number;
  httpStatus: number | null;
}

interface Row {
  task_id: bigint;
  tenant_id: string;
  status: RunStatus;
  exec_id: string | null;
  attempt: number;
  max_attempts: number;
  tick_attempt: number;
  priority: number;
  node: string | null;
  trigger: RunTrigger;
  trace_id: string;
  scheduled_time: Date;
  deadline_at: Date | null;
  heartbeat_deadline_at: Date | null;
  callback_method: CallbackMethod;
  heartbeat_timeout_sec: number | null;
  late_policy: LatePolicy;
  retry_policy_json: unknown;
  need_manual: boolean | number;
  log_mode: LogMode;
  notify: unknown;
  token_attempt: number | null;
  token_exec_id: string;
  token_hash: string;
  outcome: string | null;
  outcome_hash: string | null;
  started_at: Date;
  http_status: number | null;
}

/** Archived or not; null when there is no such run. */
export async function findCallback(database: Database, id: string): Promise<CallableRun | null> {
  const live = await Sql.on(database).rows<Row>(FIND_CALLBACK, id);
  const rows = live.length > 0 ? live : await Sql.on(database).rows<Row>(FIND_ARCHIVED_CALLBACK, id);
  if (rows.length === 0) return null;
  const tokens = rows.filter((row) => row.token_attempt !== null).map(toToken);
  return { id, tokens, ...toRun(rows[0]) };
}

function toRun(row: Row): Omit<CallableRun, 'id' | 'tokens'> {
  return {
    taskId: row.task_id,
    tenantId: row.tenant_id,
    status: row.status,
    execId: row.exec_id,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    tickAttempt: row.tick_attempt,
    priority: row.priority,
    node: row.node,
    trigger: row.trigger,
    traceId: row.trace_id,
    scheduledTime: row.scheduled_time.getTime(),
    deadlineAt: row.deadline_at?.getTime() ?? null,
    heartbeatDeadlineAt: row.heartbeat_deadline_at?.getTime() ?? null,
    callbackMethod: row.callback_method,
    heartbeatTimeoutSec: row.heartbeat_timeout_sec,
    latePolicy: row.late_policy,
    retryPolicy: fromJson(row.retry_policy_json) as RetryPolicy,
    needManual: Boolean(row.need_manual),
    logMode: row.log_mode,
    notify: fromJson(row.notify) as NotifyTargets | null,
  };
}

function toToken(row: Row): CallbackToken {
  return {
    attempt: row.token_attempt ?? 0,
    execId: row.token_exec_id,
    tokenHash: row.token_hash,
    outcome: row.outcome,
    outcomeHash: row.outcome_hash,
    startedAt: row.started_at.getTime(),
    httpStatus: row.http_status,
  };
}
