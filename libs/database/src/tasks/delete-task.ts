import { firstIdAfterHotOnes, NotFound, StaleVersion, UNFINISHED_STATUSES } from '#domain';
import type { Database, Session } from '../client.js';
import type { Clock } from '../clock.js';
import { cancelColdRuns, cancelLeftColdRuns } from '../runs/cancel-cold-runs.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';
import { holdTask } from './hold-task.js';
import type { StoredTask } from './task-row.js';

const CHUNK = 1000;

interface Deletion {
  tenantId: string;
  id: bigint;
  version?: number;
}

/** The row stays for its history; the name becomes free, nothing is planned any more, unfinished runs are cancelled. */
export async function deleteTask(database: Database, clock: Clock, deletion: Deletion): Promise<void> {
  const areLeft = await inTransaction(database, (session) => deleteInside(database, session, clock, deletion));
  if (areLeft) await cancelLeftColdRuns(database, deletion.id, new Date(clock.now()));
}

async function deleteInside(database: Database, session: Session, clock: Clock, deletion: Deletion): Promise<boolean> {
  const { tenantId, id, version } = deletion;
  const task = await holdTask(database, session, tenantId, id);
  if (task === null) throw new NotFound('task', String(id));
  const current = task.row.version;
  if (version !== undefined && version !== current) throw new StaleVersion(String(id), version, current);
  const now = new Date(clock.now());
  await markDeleted(session, task, now);
  await cancelRuns(session, task, now);
  return cancelColdRuns(Sql.on(database, session), id, now);
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
      where: { taskId: row.id, status, ...notCold(now) },
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

/** Cold runs are not counted. Most have later ids than all others, so that the walk does not pass them. */
const notCold = (now: Date) => ({
  id: { lt: firstIdAfterHotOnes(now.getTime()) },
  OR: [{ status: { not: 'SCHEDULED' } }, { wakeAt: { not: null } }],
});
