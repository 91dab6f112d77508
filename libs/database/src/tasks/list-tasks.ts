import type { TaskStatus, TaskType } from '#domain';
import type { Session } from '../client.js';
import type { Prisma } from '../generated/postgresql/client.js';
import { lastRuns } from './last-runs.js';
import { startsWith } from './name-prefix.js';
import { type StoredTask, storedTask, type TaskWithTags, WITH_TAGS } from './task-row.js';

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
export async function listTasks(session: Session, listing: TaskListing): Promise<StoredTask[]> {
  const rows = listing.tag === undefined ? await plainPage(session, listing) : await pageOfTag(session, listing);
  const runs = await lastRuns(
    session,
    rows.map((row) => row.lastRunId),
  );
  return rows.map((row) => storedTask(row, runs.get(row.lastRunId ?? '')));
}

function plainPage(session: Session, listing: TaskListing): Promise<TaskWithTags[]> {
  const { limit, before } = listing;
  return session.task.findMany({
    where: { ...conditions(listing), ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit,
    include: WITH_TAGS,
  });
}

/** From the tag's side, whose primary key already has the order: from the tasks' side every task would be looked at. */
async function pageOfTag(session: Session, listing: TaskListing): Promise<TaskWithTags[]> {
  const { tenantId, tag, limit, before } = listing;
  const rows = await session.taskTag.findMany({
    where: {
      tenantId,
      tag,
      task: conditions(listing),
      ...(before === undefined ? {} : { taskId: { lt: before } }),
    },
    orderBy: { taskId: 'desc' },
    take: limit,
    include: { task: { include: WITH_TAGS } },
  });
  return rows.map((row) => row.task);
}

function conditions({ tenantId, status, category, type, name }: TaskListing): Prisma.TaskWhereInput {
  return { tenantId, deleted: false, status, category, type, ...(name ? { liveName: startsWith(name) } : {}) };
}
