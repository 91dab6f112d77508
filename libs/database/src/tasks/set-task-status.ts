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
import type { TaskWitness } from './task-witness.js';

/** Enabling plans from now on, so that a pause is never replayed; asking for what already is changes nothing. */
export function setTaskStatus(
  database: Database,
  clock: Clock,
  { tenantId, id, status, witness }: { tenantId: string; id: bigint; status: TaskStatus; witness?: TaskWitness },
): Promise<StoredTask> {
  return inTransaction(database, async (session) => {
    const before = await holdTask(database, session, tenantId, id);
    if (before === null) throw new NotFound('task', String(id));
    const isNew = before.row.status !== status;
    const sql = Sql.on(database, session);
    if (isNew) await change(sql, session, before, status, new Date(clock.now()));
    const after = (await findTask(session, tenantId, id)) as StoredTask;
    if (isNew) await witness?.(sql, before, after);
    return after;
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
