import type { Database, Session } from '../client.js';
import { Sql, type Statement } from '../sql.js';
import { type StoredTask, storedTask, WITH_PARTS } from './task-row.js';

const LOCK: Statement = {
  postgresql: 'SELECT task_id FROM task_states WHERE task_id = $1 FOR UPDATE',
  mysql: 'SELECT task_id FROM task_states WHERE task_id = ? FOR UPDATE',
};

/** Holds a live task still until the transaction ends, so that the tick and a change do not undo each other. */
export async function holdTask(
  database: Database,
  session: Session,
  tenantId: string,
  id: bigint,
): Promise<StoredTask | null> {
  await Sql.on(database, session).rows(LOCK, id);
  const row = await session.task.findFirst({ where: { id, tenantId, deleted: false }, include: WITH_PARTS });
  return row === null ? null : storedTask(row);
}
