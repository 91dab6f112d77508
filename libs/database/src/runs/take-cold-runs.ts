import { DROP_COLD_RUNS, HOLD_COLD_RUNS, TAKE_COLD_RUNS } from '../sql/cold-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { lockLiveTasks } from '../tasks/lock-task.js';
import type { TaskFacts } from '../tasks/task-facts.js';

/** A run whose time has come, to be admitted. Times are epoch milliseconds. */
export interface ColdRun {
  id: string;
  taskId: bigint;
  priority: number;
  scheduledTime: number;
  traceId: string;
}

export interface DueColdRuns {
  /** How many rows were taken: more than `runs` when some were called off meanwhile. */
  taken: number;
  /** Earliest first. */
  runs: ColdRun[];
  /** Those of their tasks that are live, locked. */
  tasks: Map<bigint, TaskFacts>;
}

export interface ColdRow {
  start_at: Date;
  run_id: string;
  task_id: bigint;
}

interface HeldRow {
  id: string;
  task_id: bigint;
  priority: number;
  scheduled_time: Date;
  trace_id: string;
}

/** Takes runs that start by a time out of the cold; they and their tasks are the caller's until the transaction ends. */
export async function takeColdRuns(sql: Sql, until: number, limit: number): Promise<DueColdRuns> {
  const taken = await sql.rows<ColdRow>(TAKE_COLD_RUNS, sqlTime(until), limit);
  if (taken.length === 0) return { taken: 0, runs: [], tasks: new Map() };
  const tasks = await lockLiveTasks(
    sql,
    taken.map((row) => row.task_id),
  );
  const ids = taken.map((row) => row.run_id).sort();
  const held = await sql.rows<HeldRow>(HOLD_COLD_RUNS, JSON.stringify(ids));
  await dropColdRows(sql, taken);
  return { taken: taken.length, runs: held.map(toColdRun).sort(byTime), tasks };
}

export async function dropColdRows(sql: Sql, rows: readonly ColdRow[]): Promise<void> {
  const keys = rows.map(({ start_at, run_id }) => ({ start_at: sqlTime(start_at), run_id }));
  await sql.run(DROP_COLD_RUNS, JSON.stringify(keys));
}

const toColdRun = (row: HeldRow): ColdRun => ({
  id: row.id,
  taskId: row.task_id,
  priority: row.priority,
  scheduledTime: row.scheduled_time.getTime(),
  traceId: row.trace_id,
});

const byTime = (a: ColdRun, b: ColdRun): number => a.scheduledTime - b.scheduledTime || (a.id < b.id ? -1 : 1);
