import {
  type Executor,
  FIRST_LOOK_MS,
  type NotifyTargets,
  type OnNodeLost,
  type RunStatus,
  type RunTrigger,
} from '#domain';
import type { WaitingRun } from '../callbacks/accept-starts.js';
import type { Database } from '../client.js';
import { faultOf } from '../errors.js';
import {
  CLEAR_ALARMS,
  DUE_ALARMS,
  type DueAlarm,
  HOLD_OVERDUE,
  POSTPONE_WAKE,
  RUNS_TO_WAKE,
  stretchOfAlarms,
  TAKE_ALARMS,
} from '../sql/alarms.js';
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
  /** When the attempt that is under way was claimed. */
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
  attempt_started_at: Date | null;
  deadline_at: Date | null;
  heartbeat_deadline_at: Date | null;
  executor: Executor;
  start_before: Date | null;
  wake_at: Date;
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
export async function takeOverdueRuns(
  database: Database,
  now: number,
  postponeTo: number,
  limit: number,
): Promise<Taken> {
  const takeBy = (take: TakeAlarms) =>
    inSqlTransaction(database, async (sql) => {
      const { alarms, runs } = await take(sql, now, limit);
      if (runs.length === 0) return { alarms, overdue: [], putOff: [] };
      const overdue = await postpone(sql, runs, now, postponeTo);
      return {
        alarms,
        overdue: overdue.map((run) => toOverdueRun(run, postponeTo)),
        putOff: runs.filter((run) => owesCallback(run) && run.wake_at.getTime() > now).map(toWaitingRun),
      };
    });
  if (database.dialect === 'postgresql') return takeBy(takeOnPostgres);
  try {
    return await takeBy(takeOnMySql(clearStretch));
  } catch (error) {
    if (!(error instanceof OthersBetween)) throw error;
    return takeBy(takeOnMySql(clearEach));
  }
}

/** How many alarms there were, and those of their runs that are worth a look. */
interface ClearedAlarms {
  alarms: number;
  runs: RunToWake[];
}
type TakeAlarms = (sql: Sql, now: number, limit: number) => Promise<ClearedAlarms>;

async function takeOnPostgres(sql: Sql, now: number, limit: number): Promise<ClearedAlarms> {
  const [{ alarms, runs }] = await sql.rows<{ alarms: number; runs: string[] }>(TAKE_ALARMS, sqlTime(now), limit);
  if (runs.length === 0) return { alarms, runs: [] };
  return { alarms, runs: await sql.rows<RunToWake>(RUNS_TO_WAKE, JSON.stringify(runs)) };
}

type ClearAlarms = (sql: Sql, due: readonly DueAlarm[], stretch: Stretch) => Promise<void>;
type Stretch = ReturnType<typeof stretchOfAlarms>;

const takeOnMySql =
  (clear: ClearAlarms): TakeAlarms =>
  async (sql, now, limit) => {
    const due = await sql.rows<DueAlarm>(DUE_ALARMS, sqlTime(now), limit);
    if (due.length === 0) return { alarms: 0, runs: [] };
    const stretch = stretchOfAlarms(due[0], due[due.length - 1]);
    const open = await sql.rows<OpenRun>(stretch.open, sqlTime(now), ...stretch.values);
    // In a long backlog these are all: nothing but their names comes here.
    if (open.some(hasTime)) await sql.run(stretch.later, ...stretch.values, sqlTime(now));
    await clear(sql, due, stretch);
    const others = oncePerRun(
      due,
      open.filter((run) => !hasTime(run)),
    );
    if (others.length === 0) return { alarms: due.length, runs: [] };
    return { alarms: due.length, runs: await sql.rows<RunToWake>(RUNS_TO_WAKE, JSON.stringify(others)) };
  };

interface OpenRun {
  id: string;
  has_time: number | bigint;
}
const hasTime = (run: OpenRun): boolean => Number(run.has_time) === 1;

/** Alarms of others lie between ours: they would be gone unheard, or whoever has taken them is in our way. */
class OthersBetween extends Error {}

/** Waits for whoever holds an alarm in between, or the next one after them. If he gives it back, it is one more than we know of. */
async function clearStretch(sql: Sql, due: readonly DueAlarm[], { clear, values }: Stretch): Promise<void> {
  const cleared = await sql.run(clear, ...values).catch((error: unknown) => {
    throw faultOf(error) === 'retry' ? new OthersBetween() : error;
  });
  if (cleared !== due.length) throw new OthersBetween();
}

async function clearEach(sql: Sql, due: readonly DueAlarm[]): Promise<void> {
  await sql.run(CLEAR_ALARMS, JSON.stringify(due.map(({ went_off, run_id }) => [went_off, run_id])));
}

/** The runs of these alarms; one that has two of them, once. */
function oncePerRun(alarms: readonly DueAlarm[], open: readonly OpenRun[]): string[] {
  const ids = new Set(alarms.map((alarm) => alarm.run_id));
  return [...new Set(open.map((run) => run.id).filter((id) => ids.has(id)))];
}

const owesCallback = (run: RunToWake) => run.status === 'WAITING_CALLBACK';
const toWaitingRun = (run: RunToWake): WaitingRun => ({ id: run.id, wakeAt: run.wake_at.getTime() });

/** Sets an alarm for each of the runs, and gives those that are overdue: nobody has moved them since they were read, or will until we are through. */
async function postpone(sql: Sql, runs: readonly RunToWake[], now: number, to: number): Promise<RunToWake[]> {
  const overdue = await hold(
    sql,
    runs.filter((run) => run.wake_at.getTime() <= now),
    now,
  );
  const soon = Math.min(now + FIRST_LOOK_MS, to);
  await setAlarms(
    sql,
    runs.map((run) => ({
      runId: run.id,
      at: run.wake_at.getTime() <= now ? soon : run.wake_at.getTime(),
    })),
  );
  if (overdue.length > 0) await sql.run(POSTPONE_WAKE, idsOf(overdue), sqlTime(now), sqlTime(to));
  return overdue;
}

async function hold(sql: Sql, overdue: readonly RunToWake[], now: number): Promise<RunToWake[]> {
  if (overdue.length === 0) return [];
  const held = await sql.rows<{ id: string }>(HOLD_OVERDUE, idsOf(overdue), sqlTime(now));
  const ids = new Set(held.map((run) => run.id));
  return overdue.filter((run) => ids.has(run.id));
}

/** Ascending, as everybody locks them. */
const idsOf = (runs: readonly RunToWake[]): string => JSON.stringify(runs.map((run) => run.id).sort());

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
    startedAt: row.attempt_started_at?.getTime() ?? null,
    deadlineAt: row.deadline_at?.getTime() ?? null,
    heartbeatDeadlineAt: row.heartbeat_deadline_at?.getTime() ?? null,
    executor: row.executor,
    hasStartLimit: row.start_before !== null,
    seenWakeAt,
  };
}
