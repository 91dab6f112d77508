import {
  type ConcurrencyPolicy,
  type EndedRun,
  type Executor,
  FIRST_LOOK_MS,
  LOST_AFTER_MS,
  releasable,
  rememberEnded,
} from '#domain';
import { idList } from '../id-list.js';
import { LOCK_TASKS, TASK_LIMITS } from '../sql/lock-tasks.js';
import { COUNT_RUNS, NEXT_QUEUED_RUNS, RELEASE_QUEUED_RUNS } from '../sql/release-queued-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { offerRuns } from '../agents/offer-runs.js';
import { byId } from './run-order.js';
import { setAlarms } from './set-alarms.js';

/** A run that left the line for a slot and is on its way to the queue. */
export interface ReleasedRun {
  id: string;
  priority: number;
  /** The trace it belongs to. */
  traceId?: string;
  /** Epoch milliseconds: now, or when it was asked to start. */
  dueAt: number;
  executor?: Executor;
}

export interface LockedTask {
  id: bigint;
  max_concurrency: number;
  concurrency_policy: ConcurrencyPolicy;
  active_runs: number;
  queued_runs: number;
  last_ended_run_id: string | null;
  failed_tick_attempt: number | null;
  failure_skipped: boolean | number;
  /** Known where somebody waits. */
  executor?: Executor;
}

/** What runs that moved on leave behind in their task. */
export interface Leaving {
  /** Slots that came free. */
  slots: number;
  /** Places in the line that came free. */
  places: number;
  /** Those that were executed and have ended. */
  ended: EndedRun[];
}

interface QueuedRow {
  id: string;
  priority: number;
  trace_id: string;
  scheduled_time: Date;
}

/** Locks tasks in the order everybody locks them. */
export function lockTasks(sql: Sql, ids: readonly bigint[]): Promise<LockedTask[]> {
  const ascending = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  return sql.rows<LockedTask>(LOCK_TASKS, idList(ascending));
}

/** Adds up what runs leave behind, by task. */
export function leavingOf(
  runs: Iterable<{ taskId: bigint; slot: boolean; place: boolean; ended?: EndedRun }>,
): Map<bigint, Leaving> {
  const leaving = new Map<bigint, Leaving>();
  for (const { taskId, slot, place, ended } of runs) {
    const task = leaving.get(taskId) ?? { slots: 0, places: 0, ended: [] };
    leaving.set(taskId, task);
    if (slot) task.slots += 1;
    if (place) task.places += 1;
    if (ended) task.ended.push(ended);
  }
  return leaving;
}

/** Counts what came free, and gives the slots to those who wait, first come first served. */
export async function freeSlots(
  sql: Sql,
  tasks: readonly LockedTask[],
  leaving: ReadonlyMap<bigint, Leaving>,
  now: number,
): Promise<ReleasedRun[]> {
  const released: ReleasedRun[] = [];
  const counts = [];
  for (const task of await withLimitsOfNow(sql, tasks)) {
    const left = leaving.get(task.id) ?? NOTHING;
    const next = await nextInLine(sql, task, left, now);
    released.push(...next);
    if (left !== NOTHING || next.length > 0) counts.push(countOf(task, left, next.length));
  }
  if (released.length > 0) await release(sql, released);
  if (counts.length > 0) await sql.run(COUNT_RUNS, JSON.stringify(counts));
  return released;
}

type Limits = Pick<LockedTask, 'id' | 'max_concurrency' | 'concurrency_policy' | 'executor'>;

/** Only where somebody waits do the limits matter. */
async function withLimitsOfNow(sql: Sql, tasks: readonly LockedTask[]): Promise<readonly LockedTask[]> {
  const waiting = tasks.filter((task) => task.queued_runs > 0).map((task) => task.id);
  if (waiting.length === 0) return tasks;
  const limits = new Map((await sql.rows<Limits>(TASK_LIMITS, idList(waiting))).map((row) => [row.id, row]));
  return tasks.map((task) => ({ ...task, ...limits.get(task.id) }));
}

const NOTHING: Leaving = { slots: 0, places: 0, ended: [] };

function countOf(task: LockedTask, { slots, places, ended }: Leaving, released: number) {
  const known = {
    lastEndedRunId: task.last_ended_run_id,
    failedTickAttempt: task.failed_tick_attempt,
    failureSkipped: Boolean(task.failure_skipped),
  };
  const after = rememberEnded(known, ended);
  return {
    id: String(task.id),
    active: released - slots,
    queued: -released - places,
    last_ended_run_id: after.lastEndedRunId,
    failed_tick_attempt: after.failedTickAttempt,
    failure_skipped: Number(after.failureSkipped),
  };
}

async function release(sql: Sql, runs: readonly ReleasedRun[]): Promise<void> {
  const wakeAt = ({ dueAt }: ReleasedRun) => dueAt + LOST_AFTER_MS;
  const rows = runs.map((run) => ({ id: run.id, wake_at: sqlTime(wakeAt(run)) })).sort(byId);
  await sql.run(RELEASE_QUEUED_RUNS, JSON.stringify(rows));
  await setAlarms(
    sql,
    runs.map((run) => ({ runId: run.id, at: run.dueAt + FIRST_LOOK_MS })),
  );
  await offerRuns(sql, runs);
}

async function nextInLine(sql: Sql, task: LockedTask, left: Leaving, now: number): Promise<ReleasedRun[]> {
  const places = releasable({
    activeRuns: task.active_runs - left.slots,
    queuedRuns: task.queued_runs - left.places,
    maxConcurrency: task.max_concurrency,
    concurrencyPolicy: task.concurrency_policy,
  });
  if (places === 0) return [];
  const rows = await sql.rows<QueuedRow>(NEXT_QUEUED_RUNS, task.id, places);
  const { executor } = task;
  return rows.map(({ id, priority, scheduled_time: at, trace_id: traceId }) => ({
    ...{ id, priority, executor, traceId },
    dueAt: Math.max(now, at.getTime()),
  }));
}
