import { cronRunId, madeUpRunId } from '#domain';
import type { Database } from '../client.js';
import { leading } from '../keyset.js';
import { type AnyRun, archivedRun } from '../retention/archived-run.js';

export interface SecondRows {
  /** The run of that second: a made-up one goes before the row that says it was missed. */
  run: AnyRun | null;
  /** The first row from that second on that stands for several. */
  gap: AnyRun | null;
}

/**
 * The rows that say what became of one second of a task, archived or not: by primary key and, if it was due, along the task's
 * index. The archive is read last: what is moved in between is found there.
 */
export async function rowsOfSecond(
  database: Database,
  { taskId, second, wasDue }: { taskId: bigint; second: number; wasDue: boolean },
): Promise<SecondRows> {
  const [own, madeUp] = [cronRunId(second, taskId), madeUpRunId(second, taskId)];
  const where = { id: { in: [own, madeUp] } };
  const live: AnyRun[] = await database.client.taskRun.findMany({ where });
  const rows = [...live, ...(await database.client.runArchive.findMany({ where })).map(archivedRun)];
  const run = rows.find(({ id }) => id === madeUp) ?? rows.find(({ id }) => id === own) ?? null;
  return { run, gap: run === null && wasDue ? await nextTick(database, taskId, own) : null };
}

/**
 * A gap has no ticks but its own row, so the next tick is that row or there is no gap: the walk passes over runs on demand
 * and backfilled ones, and ends with the first row the tick wrote.
 */
async function nextTick(database: Database, taskId: bigint, from: string): Promise<AnyRun | null> {
  const { taskRun, runArchive } = database.client;
  const walk = {
    where: { taskId: leading(database, taskId), id: { gte: from }, trigger: { in: ['CRON', 'CATCH_UP'] } },
    orderBy: [{ taskId: 'asc' as const }, { id: 'asc' as const }],
  };
  const live = await taskRun.findFirst(walk);
  const archived = await runArchive.findFirst(walk);
  const next = earlier(live, archived && archivedRun(archived));
  return next?.missedCount == null ? null : next;
}

const earlier = (a: AnyRun | null, b: AnyRun | null): AnyRun | null => (a === null || (b && b.id < a.id) ? b : a);
