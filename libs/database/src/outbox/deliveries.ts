import { type DeliveryStatus, NotFound } from '#domain';
import type { Database, Session } from '../client.js';
import type { Outbox } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';
import { REDELIVER } from '../sql/end-notice.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';

export interface DeliveryListing {
  tenantId: string;
  limit: number;
  /** Only deliveries whose id sorts before this one. */
  before?: string;
  status?: DeliveryStatus;
  taskId?: bigint;
  runId?: string;
}

/** Newest first, by id, which starts with the time: a walk along an index, whatever is asked for. */
export function listDeliveries(database: Database, listing: DeliveryListing): Promise<Outbox[]> {
  const { tenantId, limit, before, status, taskId, runId } = listing;
  const by = { take: limit };
  const rest = { status, id: { lt: before } };
  const { outbox } = database.client;
  if (runId !== undefined) {
    const where = { ...rest, tenantId, taskId, runId: leading(database, runId) };
    return outbox.findMany({ ...by, where, orderBy: [{ runId: 'desc' }, { id: 'desc' }] });
  }
  if (taskId !== undefined) {
    const where = { ...rest, tenantId, taskId: leading(database, taskId) };
    return outbox.findMany({ ...by, where, orderBy: [{ taskId: 'desc' }, { id: 'desc' }] });
  }
  const where = { ...rest, tenantId: leading(database, tenantId) };
  return outbox.findMany({ ...by, where, orderBy: [{ tenantId: 'desc' }, { id: 'desc' }] });
}

/** What its team is told of one run, oldest first; few, since a run ends once, or a few times with a person's help. */
export function deliveriesOfRun(session: Session, tenantId: string, runId: string): Promise<Outbox[]> {
  return session.outbox.findMany({
    where: { tenantId, runId, kind: { not: 'alert' } },
    orderBy: { id: 'asc' },
    take: 100,
  });
}

export async function findDelivery(session: Session, tenantId: string, id: string): Promise<Outbox> {
  const row = await session.outbox.findFirst({ where: { id, tenantId } });
  if (row === null) throw new NotFound('delivery', id);
  return row;
}

/** Has it sent again, whatever became of it, with all its tries before it; false: it is being sent right now. */
export function redeliver(
  database: Database,
  { tenantId, id, witness }: { tenantId: string; id: string; witness?: (sql: Sql) => Promise<void> },
  now: number,
): Promise<boolean> {
  return inSqlTransaction(database, async (sql) => {
    const isDue = (await sql.run(REDELIVER, sqlTime(now), id, tenantId)) > 0;
    if (isDue) await witness?.(sql);
    return isDue;
  });
}
