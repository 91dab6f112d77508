import { type ConcurrencyPolicy, isFinal, LOST_AFTER_MS, releasable, type RunStatus } from '#domain';
import type { Database, Session } from '../client.js';
import { LOCK_TASKS } from '../sql/lock-tasks.js';
import { COUNT_RUNS, NEXT_QUEUED_RUNS, RELEASE_QUEUED_RUNS } from '../sql/release-queued-runs.js';
import {
  INSERT_ATTEMPTS,
  LOCK_RUNS_TO_SETTLE_MYSQL,
  SETTLE_RUNS_MYSQL,
  SETTLE_RUNS_POSTGRESQL,
} from '../sql/settle-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';

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
  request: unknown;
  response: unknown;
}

/** A run that is on its way to the queue: it got a free slot, or its retry is due. */
export interface ReleasedRun {
  id: string;
  priority: number;
}

export interface SettleReport {
  /** Runs this call closed. Those missing were replaced, cancelled or taken over: their result changes nothing. */
  settled: Set<string>;
  released: ReleasedRun[];
}

interface LockedTask {
  id: bigint;
  max_concurrency: number;
  concurrency_policy: ConcurrencyPolicy;
  active_runs: number;
  queued_runs: number;
}

/**
 * Closes executions in one transaction: the runs, their attempts, the slots they held, and the waiting runs that take
 * those slots.
 */
export function settleRuns(database: Database, settlements: readonly Settlement[], now: number): Promise<SettleReport> {
  return inTransaction(database, async (session) => {
    const sql = Sql.on(database, session);
    const taskIds = [...new Set(settlements.map((one) => String(one.taskId)))];
    const tasks = await sql.rows<LockedTask>(LOCK_TASKS, JSON.stringify(taskIds));
    const settled = await closeRuns(sql, session, settlements);
    const closed = settlements.filter((one) => settled.has(one.runId));
    if (closed.length === 0) return { settled, released: [] };
    await sql.run(INSERT_ATTEMPTS, JSON.stringify(closed.map(attemptRow)));
    return { settled, released: await freeSlots(sql, tasks, closed, now + LOST_AFTER_MS) };
  });
}

async function closeRuns(sql: Sql, session: Session, settlements: readonly Settlement[]): Promise<Set<string>> {
  const rows = JSON.stringify(settlements.map(runRow));
  const read = sql.dialect === 'mysql' ? LOCK_RUNS_TO_SETTLE_MYSQL : SETTLE_RUNS_POSTGRESQL;
  const closed = await session.$queryRawUnsafe<{ id: string }[]>(read, rows);
  if (sql.dialect === 'mysql' && closed.length > 0) await session.$executeRawUnsafe(SETTLE_RUNS_MYSQL, rows);
  return new Set(closed.map((row) => row.id));
}

/** Counts the slots that came free, and gives them to those who wait, first come first served. */
async function freeSlots(sql: Sql, tasks: LockedTask[], closed: Settlement[], wakeAt: number): Promise<ReleasedRun[]> {
  const freed = new Map<bigint, number>();
  for (const one of closed) if (!holdsSlot(one.status)) freed.set(one.taskId, (freed.get(one.taskId) ?? 0) + 1);
  const released: ReleasedRun[] = [];
  const counts = [];
  for (const task of tasks) {
    const free = freed.get(task.id) ?? 0;
    const next = await nextInLine(sql, task, free);
    released.push(...next);
    if (free > 0 || next.length > 0) {
      counts.push({ id: String(task.id), active: next.length - free, queued: -next.length });
    }
  }
  if (released.length > 0) {
    await sql.run(RELEASE_QUEUED_RUNS, JSON.stringify(released.map((run) => run.id)), sqlTime(wakeAt));
  }
  if (counts.length > 0) await sql.run(COUNT_RUNS, JSON.stringify(counts));
  return released;
}

async function nextInLine(sql: Sql, task: LockedTask, freed: number): Promise<ReleasedRun[]> {
  const places = releasable({
    activeRuns: task.active_runs - freed,
    queuedRuns: task.queued_runs,
    maxConcurrency: task.max_concurrency,
    concurrencyPolicy: task.concurrency_policy,
  });
  if (places === 0) return [];
  return sql.rows<ReleasedRun>(NEXT_QUEUED_RUNS, task.id, places);
}

const holdsSlot = (status: RunStatus) => status === 'RETRYING' || status === 'WAITING_CALLBACK';

function runRow(one: Settlement) {
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
  };
}

function attemptRow(one: Settlement) {
  return {
    run_id: one.runId,
    attempt: one.attempt,
    tenant_id: one.tenantId,
    exec_id: one.execId,
    node: one.node,
    outcome: one.outcome,
    started_at: sqlTime(one.startedAt),
    finished_at: sqlTime(one.finishedAt),
    request: one.request ?? undefined,
    response: one.response ?? undefined,
    http_status: one.httpStatus,
    error_code: one.errorCode,
    error_info: one.errorInfo,
  };
}
