import type { Session } from '../client.js';
import type { LastRun } from './task-row.js';

const SHOWN = { id: true, status: true, scheduledTime: true, finishedAt: true } as const;

/** The newest runs of a whole page of tasks, in one query; in a second one those that are archived already. */
export async function lastRuns(session: Session, ids: (string | null)[]): Promise<Map<string, LastRun>> {
  const wanted = ids.filter((id) => id !== null);
  if (wanted.length === 0) return new Map();
  const runs = await session.taskRun.findMany({ where: { id: { in: wanted } }, select: SHOWN });
  const found = new Map<string, LastRun>(runs.map((run) => [run.id, run]));
  const left = wanted.filter((id) => !found.has(id));
  const archived =
    left.length === 0 ? [] : await session.runArchive.findMany({ where: { id: { in: left } }, select: SHOWN });
  for (const run of archived) found.set(run.id, run);
  return found;
}
