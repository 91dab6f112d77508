import type { Database } from '../client.js';
import { DROP_COLD_RUNS, HOLD_COLD_RUNS, NEXT_COLD_RUNS, TAKE_COLD_RUNS } from '../sql/cold-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { lockLiveTasks } from '../tasks/lock-task.js';
import type { TaskFacts } from '../tasks/task-facts.js';

/** A run that starts soon, to be admitted. Times are epoch milliseconds. */
export interface ColdRun {
  id: string;
  taskId: bigint;
  priority: number;
  scheduledTime: number;
  traceId: string;
}

export interface TakenColdRuns {
  /** The rows that were taken: more than `runs` when some were called off meanwhile. */
  rows: ColdRow[];
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

/** Those that start by a time, earliest first, after the last one that was seen. Nobody is kept from them. */
export function nextColdRuns({ driver }: Database, until: number, limit: number, last?: ColdRow): Promise<ColdRow[]> {
  const from = sqlTime(last?.start_at ?? 0);
  return driver.rows<ColdRow>(NEXT_COLD_RUNS, sqlTime(until), from, from, last?.run_id ?? '', limit);
}

/** Those that nobody else has: they and their tasks are the caller's until the transaction ends. The rows stay until `dropColdRows`. */
export async function takeColdRuns(sql: Sql, wanted: readonly ColdRow[]): Promise<TakenColdRuns> {
  const rows = await sql.rows<ColdRow>(TAKE_COLD_RUNS, keysOf(wanted));
  if (rows.length === 0) return { rows: [], runs: [], tasks: new Map() };
  const tasks = await lockLiveTasks(
    sql,
    rows.map((row) => row.task_id),
  );
  const ids = rows.map((row) => row.run_id).sort();
  const held = await sql.rows<HeldRow>(HOLD_COLD_RUNS, JSON.stringify(ids));
  return { rows, runs: held.map(toColdRun).sort(byTime), tasks };
}

export async function dropColdRows(sql: Sql, rows: readonly ColdRow[]): Promise<void> {
  if (rows.length > 0) await sql.run(DROP_COLD_RUNS, keysOf(rows));
}

const keysOf = (rows: readonly ColdRow[]): string =>
  JSON.stringify(rows.map(({ start_at, run_id }) => ({ start_at: sqlTime(start_at), run_id })));

const toColdRun = (row: HeldRow): ColdRun => ({
  id: row.id,
  taskId: row.task_id,
  priority: row.priority,
  scheduledTime: row.scheduled_time.getTime(),
  traceId: row.trace_id,
});

const byTime = (a: ColdRun, b: ColdRun): number => a.scheduledTime - b.scheduledTime || (a.id < b.id ? -1 : 1);
