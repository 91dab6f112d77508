import type { Session } from '../client.js';
import type { RunAttempt, TaskRun } from '../generated/postgresql/client.js';

export interface StoredRun {
  run: TaskRun;
  attempts: RunAttempt[];
}

export async function findRun(session: Session, tenantId: string, id: string): Promise<StoredRun | null> {
  const run = await session.taskRun.findFirst({ where: { id, tenantId } });
  if (run === null) return null;
  const attempts = await session.runAttempt.findMany({
    where: { runId: id },
    orderBy: [{ attempt: 'asc' }, { startedAt: 'asc' }],
  });
  return { run, attempts };
}
