import { NotFound, StaleVersion, UNFINISHED_STATUSES } from '#domain';
import type { Database, Session } from '../client.js';
import type { Clock } from '../clock.js';
import { inTransaction } from '../transaction.js';
import { holdTask } from './hold-task.js';
import type { StoredTask } from './task-row.js';

/** The row stays for its history; the name becomes free, nothing is planned any more, unfinished runs are cancelled. */
export function deleteTask(
  database: Database,
  clock: Clock,
  { tenantId, id, version }: { tenantId: string; id: bigint; version?: number },
): Promise<void> {
  return inTransaction(database, async (session) => {
    const task = await holdTask(database, session, tenantId, id);
    if (task === null) throw new NotFound('task', String(id));
    const current = task.row.version;
    if (version !== undefined && version !== current) throw new StaleVersion(String(id), version, current);
    const now = new Date(clock.now());
    await markDeleted(session, task, now);
    if (task.row.activeRuns + task.row.queuedRuns > 0) await cancelRuns(session, tenantId, id, now);
  });
}

async function markDeleted(session: Session, { row }: StoredTask, now: Date): Promise<void> {
  const gone = { deleted: true, liveName: null, nextFireAt: null, activeRuns: 0, queuedRuns: 0 };
  await session.task.update({
    where: { id: row.id },
    data: { ...gone, version: row.version + 1, updatedAt: now },
  });
  // A list by tag walks the tag's rows: those of deleted tasks would be in its way.
  await session.taskTag.deleteMany({ where: { taskId: row.id } });
}

async function cancelRuns(session: Session, tenantId: string, taskId: bigint, now: Date): Promise<void> {
  await session.taskRun.updateMany({
    where: { tenantId, taskId, status: { in: [...UNFINISHED_STATUSES] } },
    data: { status: 'CANCELED', finishedAt: now, wakeAt: null, errorCode: 'TASK_DELETED' },
  });
}
