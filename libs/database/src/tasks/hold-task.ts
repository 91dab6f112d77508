import type { Database, Session } from '../client.js';
import { Sql, type Statement } from '../sql.js';
import { type StoredTask, storedTask, WITH_TAGS } from './task-row.js';

const LOCK: Statement = {
  postgresql: 'SELECT id FROM tasks WHERE id = $1 AND tenant_id = $2 AND NOT deleted FOR UPDATE',
  mysql: 'SELECT id FROM tasks WHERE id = ? AND tenant_id = ? AND NOT deleted FOR UPDATE',
};

/** Holds a live task still until the transaction ends, so that the tick and a change do not undo each other. */
export async function holdTask(
  database: Database,
  session: Session,
  tenantId: string,
  id: bigint,
): Promise<StoredTask | null> {
  const [locked] = await Sql.on(database, session).rows<{ id: bigint }>(LOCK, id, tenantId);
  if (!locked) return null;
  return storedTask(await session.task.findUniqueOrThrow({ where: { id }, include: WITH_TAGS }));
}
