import type { Session } from '../client.js';
import type { LastRun } from './task-row.js';

/** The newest runs of a whole page of tasks, in one query. */
export async function lastRuns(session: Session, ids: (string | null)[]): Promise<Map<string, LastRun>> {
  const wanted = ids.filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const runs = await session.taskRun.findMany({
    where: { id: { in: wanted } },
    select: { id: true, status: true, scheduledTime: true, finishedAt: true },
  });
  return new Map(runs.map((run) => [run.id, run]));
}
