import { isFinal, LOST_AFTER_MS, type RunStatus } from '#domain';
import type { Database } from '../client.js';
import { CLOSE_RUNS_MYSQL, INSERT_ATTEMPTS_MYSQL, SETTLE_RUNS } from '../sql/settle-runs.js';
import { sqlTime } from '../sql-time.js';
import { onlyMySql, type Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { freeSlots, lockTasks, type ReleasedRun } from './free-slots.js';
import { byId } from './run-order.js';
import { setAlarms } from './set-alarms.js';

/** What one execution came to, ready to be written. Times are epoch milliseconds. */
export interface Settlement {
  runId: string;
  taskId: bigint;
  tenantId: string;
  execId: string;
  attempt: number;
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
  /** The execution leaves no attempt behind, only what it made of its run. */
  withoutAttempt?: boolean;
}

export interface SettleReport {
  /** Runs this call closed. Those missing were replaced, cancelled or taken over: their result changes nothing. */
  settled: Set<string>;
  released: ReleasedRun[];
}

/**
 * Closes executions in one transaction: the runs, their attempts, the slots they held, and the waiting runs that take
 * those slots.
 */
export function settleRuns(database: Database, settlements: readonly Settlement[], now: number): Promise<SettleReport> {
  return inSqlTransaction(database, async (sql) => {
    const tasks = await lockTasks(
      sql,
      settlements.map((one) => one.taskId),
    );
    const settled = await closeRuns(sql, settlements);
    const closed = settlements.filter((one) => settled.has(one.runId));
    const released = await freeSlots(sql, tasks, freedBy(closed), now);
    await setAlarms(sql, closed.flatMap(retryAlarm));
    return { settled, released };
  });
}

async function closeRuns(sql: Sql, settlements: readonly Settlement[]): Promise<Set<string>> {
  const rows = JSON.stringify(settlements.map(toRow).sort(byId));
  const closed = await sql.rows<{ id: string }>(SETTLE_RUNS, rows);
  if (sql.dialect === 'mysql' && closed.length > 0) {
    await sql.run(onlyMySql(INSERT_ATTEMPTS_MYSQL), rows);
    await sql.run(onlyMySql(CLOSE_RUNS_MYSQL), rows);
  }
  return new Set(closed.map((row) => row.id));
}

/** How many slots each task gets back. */
function freedBy(closed: Settlement[]): Map<bigint, number> {
  const freed = new Map<bigint, number>();
  for (const { taskId, status } of closed) {
    if (!holdsSlot(status)) freed.set(taskId, (freed.get(taskId) ?? 0) + 1);
  }
  return freed;
}

const holdsSlot = (status: RunStatus) => status === 'RETRYING' || status === 'WAITING_CALLBACK';

function retryAlarm({ runId, dueAgainAt }: Settlement) {
  return dueAgainAt === null ? [] : [{ runId, at: dueAgainAt + LOST_AFTER_MS }];
}

function toRow(one: Settlement) {
  return {
    id: one.runId,
    exec_id: one.execId,
    status: one.status,
    finished_at: isFinal(one.status) ? sqlTime(one.finishedAt) : null,
    wake_at: one.dueAgainAt === null ? null : sqlTime(one.dueAgainAt + LOST_AFTER_MS),
    http_status: one.httpStatus,
    error_code: one.errorCode,
    error_info: one.errorInfo,
    result: one.result ?? undefined,
    tenant_id: one.tenantId,
    attempt: one.attempt,
    node: one.node,
    outcome: one.withoutAttempt ? null : one.outcome,
    began_at: sqlTime(one.startedAt),
    ended_at: sqlTime(one.finishedAt),
    request: one.request === null ? null : JSON.stringify(one.request),
    response: one.response === null ? null : JSON.stringify(one.response),
  };
}
