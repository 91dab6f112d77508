import { type ConcurrencyPolicy, LOST_AFTER_MS, releasable } from '#domain';
import { idList } from '../id-list.js';
import { LOCK_TASKS } from '../sql/lock-tasks.js';
import { COUNT_RUNS, NEXT_QUEUED_RUNS, RELEASE_QUEUED_RUNS } from '../sql/release-queued-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { byId } from './run-order.js';
import { setAlarms } from './set-alarms.js';

/** A run that left the line for a slot and is on its way to the queue. */
export interface ReleasedRun {
  id: string;
  priority: number;
  /** Epoch milliseconds: now, or when it was asked to start. */
  dueAt: number;
}

export interface LockedTask {
  id: bigint;
  max_concurrency: number;
  concurrency_policy: ConcurrencyPolicy;
  active_runs: number;
  queued_runs: number;
}

interface QueuedRow {
  id: string;
  priority: number;
  scheduled_time: Date;
}

/** Locks tasks in the order everybody locks them. */
export function lockTasks(sql: Sql, ids: readonly bigint[]): Promise<LockedTask[]> {
  const ascending = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  return sql.rows<LockedTask>(LOCK_TASKS, idList(ascending));
}

/** Counts the slots that came free, and gives them to those who wait, first come first served. */
export async function freeSlots(
  sql: Sql,
  tasks: readonly LockedTask[],
  freed: ReadonlyMap<bigint, number>,
  now: number,
): Promise<ReleasedRun[]> {
  const released: ReleasedRun[] = [];
  const counts = [];
  for (const task of tasks) {
    const free = freed.get(task.id) ?? 0;
    const next = await nextInLine(sql, task, free, now);
    released.push(...next);
    if (free + next.length > 0) counts.push({ id: String(task.id), active: next.length - free, queued: -next.length });
  }
  if (released.length > 0) await release(sql, released);
  if (counts.length > 0) await sql.run(COUNT_RUNS, JSON.stringify(counts));
  return released;
}

async function release(sql: Sql, runs: readonly ReleasedRun[]): Promise<void> {
  const wakeAt = ({ dueAt }: ReleasedRun) => dueAt + LOST_AFTER_MS;
  const rows = runs.map((run) => ({ id: run.id, wake_at: sqlTime(wakeAt(run)) })).sort(byId);
  await sql.run(RELEASE_QUEUED_RUNS, JSON.stringify(rows));
  await setAlarms(
    sql,
    runs.map((run) => ({ runId: run.id, at: wakeAt(run) })),
  );
}

async function nextInLine(sql: Sql, task: LockedTask, freed: number, now: number): Promise<ReleasedRun[]> {
  const places = releasable({
    activeRuns: task.active_runs - freed,
    queuedRuns: task.queued_runs,
    maxConcurrency: task.max_concurrency,
    concurrencyPolicy: task.concurrency_policy,
  });
  if (places === 0) return [];
  const rows = await sql.rows<QueuedRow>(NEXT_QUEUED_RUNS, task.id, places);
  return rows.map(({ id, priority, scheduled_time: at }) => ({ id, priority, dueAt: Math.max(now, at.getTime()) }));
}
