import { ARCHIVED_STATUSES, InvalidInput, type RunStatus } from '#domain';
import type { Database } from '../client.js';
import type { Prisma } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';
import { type AnyRun, archivedRun } from '../retention/archived-run.js';
import { ARCHIVE_BY_LABEL } from '../sql/runs-by-label.js';
import { labelledIds, labelOf } from './list-labelled-runs.js';
import { idRange } from './list-runs.js';
import type { RunListing } from './run-listing.js';

/** The same lists of what is archived: newest first, each a walk along an index. Throws InvalidInput. */
export async function listArchivedRuns(database: Database, listing: RunListing): Promise<AnyRun[]> {
  const { before, from, to, status, limit } = listing;
  refuseOthers(status);
  const ids = idRange(before, from, to);
  const label = labelOf({ ...listing, status: undefined });
  if (label !== null) {
    const found = await labelledIds(database, listing, label, { ids, statements: ARCHIVE_BY_LABEL });
    return byIds(database, found);
  }
  const { tenantId, taskId, trigger, category, creator } = listing;
  const details = { trigger, category, creator, scheduledTime: { gte: from, lte: to }, id: ids };
  const rows = await database.client.runArchive.findMany({
    ...walkOf(database, { tenantId, taskId, status }, details),
    take: limit,
  });
  return rows.map(archivedRun);
}

type Details = Pick<RunListing, 'trigger' | 'category' | 'creator'> & { scheduledTime: object; id: object };

/** By task; or by status, of which there is an index of its own; or all of the tenant's. */
function walkOf(
  database: Database,
  { tenantId, taskId, status }: Pick<RunListing, 'tenantId' | 'taskId' | 'status'>,
  details: Details,
): Pick<Prisma.RunArchiveFindManyArgs, 'where' | 'orderBy'> {
  const desc = 'desc' as const;
  // What people have settled is rare, also among the runs of one task.
  if (status !== undefined && (taskId === undefined || status === 'MANUALLY_PROCESSED')) {
    const where = { ...details, taskId, tenantId: leading(database, tenantId), status: leading(database, status) };
    return { where, orderBy: [{ tenantId: desc }, { status: desc }, { id: desc }] };
  }
  if (taskId !== undefined) {
    const where = { ...details, tenantId, status, taskId: leading(database, taskId) };
    return { where, orderBy: [{ taskId: desc }, { id: desc }] };
  }
  return {
    where: { ...details, tenantId: leading(database, tenantId) },
    orderBy: [{ tenantId: desc }, { id: desc }],
  };
}

async function byIds({ client }: Database, ids: string[]): Promise<AnyRun[]> {
  const rows = await client.runArchive.findMany({ where: { id: { in: ids } } });
  return rows.map(archivedRun).sort((a, b) => (a.id < b.id ? 1 : -1));
}

function refuseOthers(status: RunStatus | undefined): void {
  if (status === undefined || (ARCHIVED_STATUSES as readonly RunStatus[]).includes(status)) return;
  const message = `only ${ARCHIVED_STATUSES.join(' and ')} runs are archived; ask for ${status} ones without archived=true`;
  throw new InvalidInput([{ field: 'status', message }]);
}
