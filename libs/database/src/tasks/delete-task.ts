import { NotFound, StaleVersion } from '#domain';
import type { Database, Session } from '../client.js';
import type { Clock } from '../clock.js';
import { closeCanceled, executionsOf, findUnfinished, holdUnfinished } from '../runs/cancel-runs.js';
import type { Execution } from '../runs/keep-leases.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';
import { holdTask } from './hold-task.js';
import type { StoredTask } from './task-row.js';

/** Why the runs of a deleted task are cancelled. */
export const TASK_DELETED = { errorCode: 'TASK_DELETED', errorInfo: 'the task was deleted' };

/**
 * The row stays for its history; the name becomes free, nothing is planned any more, unfinished runs are cancelled. Gives
 * the executions that are to be broken off.
 */
export function deleteTask(
  database: Database,
  clock: Clock,
  { tenantId, id, version }: { tenantId: string; id: bigint; version?: number },
): Promise<Execution[]> {
  return inTransaction(database, async (session) => {
    const task = await holdTask(database, session, tenantId, id);
    if (task === null) throw new NotFound('task', String(id));
    const current = task.row.version;
    if (version !== undefined && version !== current) throw new StaleVersion(String(id), version, current);
    const now = new Date(clock.now());
    await markDeleted(session, task, now);
    return cancelRuns(Sql.on(database, session), task, now);
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

async function cancelRuns(sql: Sql, { row }: StoredTask, now: Date): Promise<Execution[]> {
  const ids = await findUnfinished(sql, row.id, row.activeRuns + row.queuedRuns);
  const runs = await holdUnfinished(sql, ids);
  await closeCanceled(sql, runs, () => TASK_DELETED, now.getTime());
  return executionsOf(runs);
}
