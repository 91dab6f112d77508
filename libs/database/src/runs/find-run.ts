import type { Session } from '../client.js';
import type { RunAttempt, RunHandling, TaskRun } from '../generated/postgresql/client.js';

export interface StoredRun {
  run: TaskRun;
  attempts: RunAttempt[];
  /** What people did about it, oldest first. */
  handled: RunHandling[];
}

export async function findRun(session: Session, tenantId: string, id: string): Promise<StoredRun | null> {
  const run = await session.taskRun.findFirst({ where: { id, tenantId } });
  if (run === null) return null;
  const attempts = await session.runAttempt.findMany({
    where: { runId: id },
    orderBy: [{ attempt: 'asc' }, { startedAt: 'asc' }],
  });
  const handled = await session.runHandling.findMany({ where: { runId: id }, orderBy: { id: 'asc' } });
  return { run, attempts, handled };
}

/** The rows of runs that are there, in the order of the ids. */
export async function findRuns(session: Session, ids: readonly string[]): Promise<TaskRun[]> {
  const rows = await session.taskRun.findMany({ where: { id: { in: [...ids] } } });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
