import type { Executor, NotifyTargets, OnNodeLost, RunStatus, RunTrigger } from '#domain';
import type { WaitingRun } from '../callbacks/accept-starts.js';
import type { Database } from '../client.js';
import { CLEAR_ALARMS, DUE_ALARMS, POSTPONE_WAKE, RUNS_TO_WAKE, TAKE_ALARMS } from '../sql/alarms.js';
import { fromJson, sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { setAlarms } from './set-alarms.js';

/** A run nobody has moved by the time it was to be looked at. */
export interface OverdueRun {
  id: string;
  taskId: bigint;
  tenantId: string;
  status: RunStatus;
  execId: string | null;
  attempt: number;
  tickAttempt: number;
  maxAttempts: number;
  node: string | null;
  priority: number;
  trigger: RunTrigger;
  traceId: string;
  needManual: boolean;
  onNodeLost: OnNodeLost;
  notify: NotifyTargets | null;
  startedAt: number | null;
  /** Of an attempt that others carry out: an agent, or whoever owes a callback. */
  deadlineAt: number | null;
  heartbeatDeadlineAt: number | null;
  executor: Executor;
  /** Whether it may not start whenever. */
  hasStartLimit: boolean;
  /** Its `wake_at` as it is now: if it is another one later, somebody has given a sign of life. */
  seenWakeAt: number;
}

interface RunToWake {
  id: string;
  task_id: bigint;
  tenant_id: string;
  status: RunStatus;
  exec_id: string | null;
  attempt: number;
  tick_attempt: number;
  max_attempts: number;
  node: string | null;
  priority: number;
  trigger: RunTrigger;
  trace_id: string;
  need_manual: boolean | number;
  on_node_lost: OnNodeLost;
  notify: unknown;
  started_at: Date | null;
  deadline_at: Date | null;
  heartbeat_deadline_at: Date | null;
  executor: Executor;
  start_before: Date | null;
  wake_at: Date;
}

interface Alarm {
  went_off: string;
  run_id: string;
}

export interface Taken {
  /** How many alarms had gone off. */
  alarms: number;
  overdue: OverdueRun[];
  /** Runs that wait for a callback, and have until later. */
  putOff: WaitingRun[];
}

/**
 * Goes through the alarms that have gone off: most belong to runs that are closed by now and are dropped; those of runs
 * that were moved on are set anew. What is left is overdue and comes back, its next look put off to `postponeTo`, so that
 * two rescuers do not take the same run, and the next one finds it if this one dies before it has acted.
 */
export function takeOverdueRuns(database: Database, now: number, postponeTo: number, limit: number): Promise<Taken> {
  return inSqlTransaction(database, async (sql) => {
    const { alarms, runs: ids } = await (sql.dialect === 'mysql' ? takeOnMySql : takeOnPostgres)(sql, now, limit);
    if (ids.length === 0) return { alarms, overdue: [], putOff: [] };
    const runs = await sql.rows<RunToWake>(RUNS_TO_WAKE, JSON.stringify(ids));
    const overdue = runs.filter((run) => run.wake_at.getTime() <= now);
    await putOff(sql, runs, overdue, now, postponeTo);
    return {
      alarms,
      overdue: overdue.map((run) => toOverdueRun(run, postponeTo)),
      putOff: runs.filter((run) => owesCallback(run) && run.wake_at.getTime() > now).map(toWaitingRun),
    };
  });
}

/** How many alarms there were, and the runs of theirs that are worth a look. */
interface ClearedAlarms {
  alarms: number;
  runs: string[];
}

async function takeOnPostgres(sql: Sql, now: number, limit: number): Promise<ClearedAlarms> {
  const [taken] = await sql.rows<ClearedAlarms>(TAKE_ALARMS, sqlTime(now), limit);
  return taken;
}

async function takeOnMySql(sql: Sql, now: number, limit: number): Promise<ClearedAlarms> {
  const due = await sql.rows<Alarm>(DUE_ALARMS, sqlTime(now), limit);
  if (due.length === 0) return { alarms: 0, runs: [] };
  await sql.run(CLEAR_ALARMS, JSON.stringify(due.map(({ went_off, run_id }) => [went_off, run_id])));
  return { alarms: due.length, runs: [...new Set(due.map((alarm) => alarm.run_id))] };
}

const owesCallback = (run: RunToWake) => run.status === 'WAITING_CALLBACK';
const toWaitingRun = (run: RunToWake): WaitingRun => ({ id: run.id, wakeAt: run.wake_at.getTime() });

async function putOff(sql: Sql, runs: RunToWake[], overdue: RunToWake[], now: number, to: number): Promise<void> {
  await setAlarms(
    sql,
    runs.map((run) => ({
      runId: run.id,
      at: run.wake_at.getTime() <= now ? to : run.wake_at.getTime(),
    })),
  );
  if (overdue.length === 0) return;
  await sql.run(POSTPONE_WAKE, JSON.stringify(overdue.map((run) => run.id)), sqlTime(now), sqlTime(to));
}

function toOverdueRun(row: RunToWake, seenWakeAt: number): OverdueRun {
  return {
    id: row.id,
    taskId: row.task_id,
    tenantId: row.tenant_id,
    status: row.status,
    execId: row.exec_id,
    attempt: row.attempt,
    tickAttempt: row.tick_attempt,
    maxAttempts: row.max_attempts,
    node: row.node,
    priority: row.priority,
    trigger: row.trigger,
    traceId: row.trace_id,
    needManual: Boolean(row.need_manual),
    onNodeLost: row.on_node_lost,
    notify: fromJson(row.notify) as NotifyTargets | null,
    startedAt: row.started_at?.getTime() ?? null,
    deadlineAt: row.deadline_at?.getTime() ?? null,
    heartbeatDeadlineAt: row.heartbeat_deadline_at?.getTime() ?? null,
    executor: row.executor,
    hasStartLimit: row.start_before !== null,
    seenWakeAt,
  };
}
