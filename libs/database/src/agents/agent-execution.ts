import type { Executor, LogMode, NotifyTargets, RetryPolicy, RunStatus, RunTrigger } from '#domain';
import type { Database } from '../client.js';
import {
  AGENT_EXECUTION,
  ALLOW_ANOTHER_ATTEMPT,
  ARCHIVED_EXECUTION,
  KEEP_AGENT_LEASE,
} from '../sql/claim-agent-runs.js';
import { fromJson, sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';

/** A run as closing it sees it. Times are epoch milliseconds. */
export interface AgentExecution {
  id: string;
  tenantId: string;
  taskId: bigint;
  status: RunStatus;
  execId: string | null;
  attempt: number;
  tickAttempt: number;
  maxAttempts: number;
  node: string | null;
  priority: number;
  trigger: RunTrigger;
  scheduledTime: number;
  startedAt: number;
  /** Until when a sign of life is due; null when it is over. */
  leaseUntil: number | null;
  errorCode: string | null;
  executor: Executor;
  retryPolicy: RetryPolicy;
  needManual: boolean;
  logMode: LogMode;
  notify: NotifyTargets | null;
}

interface ExecutionRow {
  id: string;
  tenant_id: string;
  task_id: bigint;
  status: RunStatus;
  exec_id: string | null;
  attempt: number;
  tick_attempt: number;
  max_attempts: number;
  node: string | null;
  priority: number;
  trigger: RunTrigger;
  scheduled_time: Date;
  started_at: Date | null;
  wake_at: Date | null;
  deadline_at: Date | null;
  error_code: string | null;
  timeout_seconds: number;
  executor: Executor;
  retry_policy_json: unknown;
  need_manual: boolean | number;
  log_mode: LogMode;
  notify: unknown;
}

export async function findAgentExecution(
  database: Database,
  tenantId: string,
  id: string,
): Promise<AgentExecution | null> {
  const [live] = await Sql.on(database).rows<ExecutionRow>(AGENT_EXECUTION, id, tenantId);
  const [row] =
    live === undefined ? await Sql.on(database).rows<ExecutionRow>(ARCHIVED_EXECUTION, id, tenantId) : [live];
  return row === undefined ? null : toExecution(row);
}

export interface SignOfLife {
  tenantId: string;
  id: string;
  execId: string;
  progress?: unknown;
  now: number;
  leaseSeconds: number;
}

/** Whether the execution is still the agent's; then its lease goes on. */
export async function keepAgentLease(database: Database, sign: SignOfLife): Promise<boolean> {
  const progress = sign.progress === undefined || sign.progress === null ? null : JSON.stringify(sign.progress);
  const about = [sign.id, sign.tenantId, sign.execId];
  const values = [sqlTime(sign.now), sign.leaseSeconds, progress, ...about];
  // MySQL locks the task with the run, and so may meet whoever changes both in the other order.
  return (await retried(() => Sql.on(database).run(KEEP_AGENT_LEASE, ...values))) > 0;
}

/** Before an attempt that nobody has worked on is closed: should that fail, the end of its lease finds another one left. */
export async function allowAnotherAttempt(database: Database, id: string, execId: string): Promise<boolean> {
  return (await Sql.on(database).run(ALLOW_ANOTHER_ATTEMPT, id, execId)) > 0;
}

function toExecution(row: ExecutionRow): AgentExecution {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    taskId: row.task_id,
    status: row.status,
    execId: row.exec_id,
    attempt: row.attempt,
    tickAttempt: row.tick_attempt,
    maxAttempts: row.max_attempts,
    node: row.node,
    priority: row.priority,
    trigger: row.trigger,
    scheduledTime: row.scheduled_time.getTime(),
    startedAt: attemptStart(row),
    leaseUntil: row.wake_at?.getTime() ?? null,
    errorCode: row.error_code,
    executor: row.executor,
    retryPolicy: fromJson(row.retry_policy_json) as RetryPolicy,
    needManual: Boolean(row.need_manual),
    logMode: row.log_mode,
    notify: fromJson(row.notify) as NotifyTargets | null,
  };
}

/** The run knows when its first attempt started; when this one did follows from when it has to be over. */
function attemptStart({ started_at, deadline_at, timeout_seconds }: ExecutionRow): number {
  const first = started_at?.getTime() ?? 0;
  return deadline_at === null ? first : Math.max(first, deadline_at.getTime() - timeout_seconds * 1000);
}
