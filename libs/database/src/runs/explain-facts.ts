import { cronRunId, madeUpRunId } from '#domain';
import type { Database } from '../client.js';
import type { TaskRun } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';

export interface SecondRows {
  /** The run of that second: a made-up one goes before the row that says it was missed. */
  run: TaskRun | null;
  /** The first row from that second on that stands for several. */
  gap: TaskRun | null;
}

/** The rows that say what became of one second of a task, by primary key and, if it was due, along the task's index. */
export async function rowsOfSecond(
  database: Database,
  { taskId, second, wasDue }: { taskId: bigint; second: number; wasDue: boolean },
): Promise<SecondRows> {
  const [own, madeUp] = [cronRunId(second, taskId), madeUpRunId(second, taskId)];
  const rows = await database.client.taskRun.findMany({ where: { id: { in: [own, madeUp] } } });
  const run = rows.find(({ id }) => id === madeUp) ?? rows.find(({ id }) => id === own) ?? null;
  return { run, gap: run === null && wasDue ? await nextTick(database, taskId, own) : null };
}

/**
 * A gap has no ticks but its own row, so the next tick is that row or there is no gap: the walk passes over runs on demand
 * and backfilled ones, and ends with the first row the tick wrote.
 */
async function nextTick(database: Database, taskId: bigint, from: string): Promise<TaskRun | null> {
  const next = await database.client.taskRun.findFirst({
    where: { taskId: leading(database, taskId), id: { gte: from }, trigger: { in: ['CRON', 'CATCH_UP'] } },
    orderBy: [{ taskId: 'asc' }, { id: 'asc' }],
  });
  return next?.missedCount == null ? null : next;
}
