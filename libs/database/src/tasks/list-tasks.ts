import type { TaskStatus, TaskType } from '#domain';
import type { Database } from '../client.js';
import type { Prisma } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';
import { lastRuns } from './last-runs.js';
import { startsWith } from './name-prefix.js';
import { type StoredTask, storedTask, type TaskWithParts, WITH_PARTS } from './task-row.js';

export interface TaskListing {
  tenantId: string;
  limit: number;
  /** Only tasks older than this one. */
  before?: bigint;
  status?: TaskStatus;
  category?: string;
  tag?: string;
  /** Start of the name. */
  name?: string;
  type?: TaskType;
}

/** Newest first, by id: every page is a walk along an index from where the last one ended. */
export async function listTasks(database: Database, listing: TaskListing): Promise<StoredTask[]> {
  const rows = await (listing.tag === undefined ? plainPage(database, listing) : pageOfTag(database, listing));
  const runs = await lastRuns(
    database.client,
    rows.map((row) => row.state?.lastRunId ?? null),
  );
  return rows.map((row) => storedTask(row, runs.get(row.state?.lastRunId ?? '')));
}

function plainPage(database: Database, listing: TaskListing): Promise<TaskWithParts[]> {
  return database.client.task.findMany({
    where: { ...conditions(listing), tenantId: leading(database, listing.tenantId) },
    orderBy: [{ tenantId: 'desc' }, { id: 'desc' }],
    take: listing.limit,
    include: WITH_PARTS,
  });
}

/** From the tag's side, whose primary key already has the order: from the tasks' side every task would be looked at. */
async function pageOfTag(database: Database, listing: TaskListing): Promise<TaskWithParts[]> {
  const { tenantId, tag, limit, before } = listing;
  const rows = await database.client.taskTag.findMany({
    where: { tenantId: leading(database, tenantId), tag, taskId: { lt: before }, task: conditions(listing) },
    orderBy: [{ tenantId: 'desc' }, { taskId: 'desc' }],
    take: limit,
    include: { task: { include: WITH_PARTS } },
  });
  return rows.map((row) => row.task);
}

function conditions({ tenantId, before, status, category, type, name }: TaskListing): Prisma.TaskWhereInput {
  const liveName = name ? startsWith(name) : undefined;
  return { tenantId, deleted: false, id: { lt: before }, status, category, type, liveName };
}
