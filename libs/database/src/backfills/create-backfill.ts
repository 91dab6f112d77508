import type { BackfillRange } from '#domain';
import type { Database, Session } from '../client.js';
import type { Backfill } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';

export interface NewBackfill {
  tenantId: string;
  taskId: bigint;
  cronExpr: string;
  timezone: string;
  from: Date;
  to: Date;
  maxParallel: number;
  traceId: string;
  range: BackfillRange;
}

/** One without any due second is done as it is made. */
export function createBackfill(session: Session, backfill: NewBackfill, now: Date): Promise<Backfill> {
  const { range, from, to, ...same } = backfill;
  const isEmpty = range.total === 0;
  return session.backfill.create({
    data: {
      ...same,
      fromAt: from,
      toAt: to,
      cursorAt: new Date(range.after * 1000),
      lastAt: range.last === null ? null : new Date(range.last * 1000),
      totalSeconds: range.total,
      openRuns: [],
      ...(isEmpty ? { status: 'DONE', finishedAt: now } : {}),
      createdAt: now,
      updatedAt: now,
    },
  });
}

export function findBackfill(session: Session, tenantId: string, id: bigint): Promise<Backfill | null> {
  return session.backfill.findFirst({ where: { id, tenantId } });
}

/** Those of a task, newest first. */
export function listBackfills(
  database: Database,
  { tenantId, taskId, before, limit }: { tenantId: string; taskId: bigint; before?: bigint; limit: number },
): Promise<Backfill[]> {
  return database.client.backfill.findMany({
    where: { tenantId, taskId: leading(database, taskId), id: { lt: before } },
    orderBy: [{ taskId: 'desc' }, { id: 'desc' }],
    take: limit,
  });
}
