import { NotFound, StaleVersion, UNFINISHED_STATUSES } from '#domain';
import type { Database, Session } from '../client.js';
import type { Clock } from '../clock.js';
import { cancelColdRuns } from '../runs/cancel-cold-runs.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';
import { holdTask } from './hold-task.js';
import type { StoredTask } from './task-row.js';

const CHUNK = 1000;

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
    await cancelColdRuns(Sql.on(database, session), id, now);
    await cancelRuns(session, task, now);
  });
}

async function markDeleted(session: Session, { row }: StoredTask, now: Date): Promise<void> {
  const state = { update: { nextFireAt: null, activeRuns: 0, queuedRuns: 0 } };
  await session.task.update({
    where: { id: row.id },
    data: { deleted: true, liveName: null, state, version: row.version + 1, updatedAt: now },
  });
  // A list by tag walks the tag's rows: those of deleted tasks would be in its way.
  await session.taskTag.deleteMany({ where: { taskId: row.id } });
}

/** The counters say how many there are, so that the walk back through the task's history ends with the last of them. */
async function cancelRuns(session: Session, { row }: StoredTask, now: Date): Promise<void> {
  const status = { in: [...UNFINISHED_STATUSES] };
  for (let left = row.activeRuns + row.queuedRuns; left > 0; left -= CHUNK) {
    const runs = await session.taskRun.findMany({
      where: { taskId: row.id, status },
      orderBy: { id: 'desc' },
      take: Math.min(left, CHUNK),
      select: { id: true },
    });
    await session.taskRun.updateMany({
      where: { id: { in: runs.map(({ id }) => id) }, status },
      data: { status: 'CANCELED', finishedAt: now, wakeAt: null, errorCode: 'TASK_DELETED' },
    });
  }
}
