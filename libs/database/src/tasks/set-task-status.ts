import { NotFound, type TaskStatus } from '#domain';
import type { Database, Session } from '../client.js';
import type { Clock } from '../clock.js';
import { takeBack } from '../runs/take-back.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';
import { findTask } from './find-task.js';
import { holdTask } from './hold-task.js';
import { planOf } from './plan-task.js';
import { definitionOf, type StoredTask } from './task-row.js';

/** Enabling plans from now on, so that a pause is never replayed; asking for what already is changes nothing. */
export function setTaskStatus(
  database: Database,
  clock: Clock,
  { tenantId, id, status }: { tenantId: string; id: bigint; status: TaskStatus },
): Promise<StoredTask> {
  return inTransaction(database, async (session) => {
    const before = await holdTask(database, session, tenantId, id);
    if (before === null) throw new NotFound('task', String(id));
    if (before.row.status !== status)
      await change(Sql.on(database, session), session, before, status, new Date(clock.now()));
    return (await findTask(session, tenantId, id)) as StoredTask;
  });
}

async function change(sql: Sql, session: Session, before: StoredTask, status: TaskStatus, now: Date): Promise<void> {
  await takeBack(sql, before.row, now.getTime());
  const { nextFireAt } = planOf({ ...definitionOf(before), status }, now);
  await session.task.update({
    where: { id: before.row.id },
    data: { status, state: { update: { nextFireAt } }, version: before.row.version + 1, updatedAt: now },
  });
}
