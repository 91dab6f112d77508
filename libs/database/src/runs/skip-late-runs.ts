import type { Database } from '../client.js';
import { FIND_LATE_RUNS, LATE_IN_LINE, LOCK_LATE_RUNS, SKIP_LATE_RUNS } from '../sql/late-runs.js';
import { COUNT_RUNS } from '../sql/release-queued-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { freeSlots, type LockedTask, lockTasks, type ReleasedRun } from './free-slots.js';

export interface LateReport {
  /** Runs this call closed as SKIPPED (LATE), also those that waited in line for a slot. */
  late: Set<string>;
  released: ReleasedRun[];
}

interface LateRow {
  id: string;
  task_id: bigint;
}

/**
 * Closes those of the runs that may not start any more: the runs, the slots they held, and the waiting runs that take
 * those slots, in one transaction. What waits and is late itself goes with them, instead of coming by one by one.
 */
export async function skipLateRuns(database: Database, ids: readonly string[], now: number): Promise<LateReport> {
  const found = await Sql.on(database).rows<LateRow>(FIND_LATE_RUNS, JSON.stringify(ids), sqlTime(now));
  if (found.length === 0) return { late: new Set(), released: [] };
  const taskIds = found.map((row) => row.task_id);
  return inSqlTransaction(database, async (sql) => skipHeld(sql, await lockTasks(sql, taskIds), found, now));
}

async function skipHeld(sql: Sql, tasks: LockedTask[], found: LateRow[], now: number): Promise<LateReport> {
  const ids = JSON.stringify(found.map((row) => row.id).sort());
  const scheduled = await sql.rows<LateRow>(LOCK_LATE_RUNS, ids, sqlTime(now));
  const queued = await lateInLine(sql, tasks, now);
  const late = new Set([...scheduled, ...queued].map((row) => row.id));
  if (late.size === 0) return { late, released: [] };
  await sql.run(SKIP_LATE_RUNS, JSON.stringify([...late].sort()), sqlTime(now));
  const shorter = await shortenLines(sql, tasks, countByTask(queued));
  const released = await freeSlots(sql, shorter, countByTask(scheduled), now);
  return { late, released };
}

async function lateInLine(sql: Sql, tasks: LockedTask[], now: number): Promise<LateRow[]> {
  const late: LateRow[] = [];
  for (const { id, queued_runs: waiting } of tasks) {
    if (waiting > 0) late.push(...(await sql.rows<LateRow>(LATE_IN_LINE, id, sqlTime(now))));
  }
  return late;
}

/** Takes what was skipped out of the lines; answers with the tasks as they are then. */
async function shortenLines(sql: Sql, tasks: LockedTask[], skipped: Map<bigint, number>): Promise<LockedTask[]> {
  if (skipped.size === 0) return tasks;
  const counts = [...skipped].map(([id, count]) => ({ id: String(id), active: 0, queued: -count }));
  await sql.run(COUNT_RUNS, JSON.stringify(counts));
  return tasks.map((task) => ({ ...task, queued_runs: task.queued_runs - (skipped.get(task.id) ?? 0) }));
}

function countByTask(rows: readonly LateRow[]): Map<bigint, number> {
  const counts = new Map<bigint, number>();
  for (const { task_id: id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
