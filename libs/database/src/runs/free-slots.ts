import { type ConcurrencyPolicy, releasable } from '#domain';
import { idList } from '../id-list.js';
import { LOCK_TASKS } from '../sql/lock-tasks.js';
import { COUNT_RUNS, NEXT_QUEUED_RUNS, RELEASE_QUEUED_RUNS } from '../sql/release-queued-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

/** A run that left the line for a slot and is on its way to the queue. */
export interface ReleasedRun {
  runId: string;
  priority: number;
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
  wakeAt: number,
): Promise<ReleasedRun[]> {
  const released: ReleasedRun[] = [];
  const counts = [];
  for (const task of tasks) {
    const free = freed.get(task.id) ?? 0;
    const next = await nextInLine(sql, task, free);
    released.push(...next);
    if (free + next.length > 0) counts.push({ id: String(task.id), active: next.length - free, queued: -next.length });
  }
  if (released.length > 0) {
    await sql.run(RELEASE_QUEUED_RUNS, JSON.stringify(released.map((run) => run.runId)), sqlTime(wakeAt));
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
  const rows = await sql.rows<QueuedRow>(NEXT_QUEUED_RUNS, task.id, places);
  return rows.map((row) => ({ runId: row.id, priority: row.priority }));
}
