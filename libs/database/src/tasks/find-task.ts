import type { Session } from '../client.js';
import { lastRuns } from './last-runs.js';
import { type StoredTask, storedTask, WITH_PARTS } from './task-row.js';

export async function findTask(session: Session, tenantId: string, id: bigint): Promise<StoredTask | null> {
  const row = await session.task.findFirst({ where: { id, tenantId, deleted: false }, include: WITH_PARTS });
  if (row === null) return null;
  const runs = await lastRuns(session, [row.state?.lastRunId ?? null]);
  return storedTask(row, runs.get(row.state?.lastRunId ?? ''));
}
