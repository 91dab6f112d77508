import type { Database } from '../client.js';
import { OLDEST_OF_NEWEST, PAGE_OF_LOGS, RUNS_BETWEEN, SET_KEPT_FROM } from '../sql/task-logs.js';
import { DROP_ALL_ATTEMPTS, DROP_ALL_STARTS } from '../sql/trim-attempts.js';
import { Sql } from '../sql.js';
import { type RetentionLease, underLease } from './lease.js';

export interface TaskLog {
  taskId: bigint;
  /** Runs before this one have no attempts any more. */
  keptFrom: string;
}

export async function pageOfLogs(database: Database, after: bigint, limit: number): Promise<TaskLog[]> {
  const rows = await Sql.on(database).rows<{ task_id: bigint; kept_from: string | null }>(PAGE_OF_LOGS, after, limit);
  return rows.map((row) => ({ taskId: row.task_id, keptFrom: row.kept_from ?? '' }));
}

/** From which run on a task keeps its attempts, if that is the newest `runs`; null: it does not have that many. */
export async function keepFrom(
  database: Database,
  taskId: bigint,
  { runs, beforeId }: { runs: number; beforeId: string },
): Promise<string | null> {
  const asked = [taskId, beforeId, runs];
  const [row] = await Sql.on(database).rows<{ id: string }>(OLDEST_OF_NEWEST, ...asked, ...asked, runs - 1);
  return row?.id ?? null;
}

/** Drops the attempts of some runs before `until`, and remembers how far it came. Null when the lease is lost. */
export async function trimTaskLog(
  database: Database,
  lease: RetentionLease,
  { taskId, keptFrom }: TaskLog,
  { until, limit }: { until: string; limit: number },
): Promise<{ runs: number; keptFrom: string } | null> {
  const asked = [taskId, keptFrom, until, limit];
  const rows = await Sql.on(database).rows<{ id: string }>(RUNS_BETWEEN, ...asked, ...asked, limit);
  const last = rows.at(-1);
  const reached = last === undefined || rows.length < limit ? until : behind(last.id);
  const ids = JSON.stringify(rows.map(({ id }) => id));
  return underLease(database, lease, async (sql) => {
    await sql.run(DROP_ALL_ATTEMPTS, ids);
    await sql.run(DROP_ALL_STARTS, ids);
    await sql.run(SET_KEPT_FROM, taskId, reached);
    return { runs: rows.length, keptFrom: reached };
  });
}

/** Sorts after that id and before any other: no id has a character that sorts before a hyphen. */
const behind = (id: string): string => `${id}!`;
