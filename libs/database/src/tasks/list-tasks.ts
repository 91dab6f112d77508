import type { TaskStatus, TaskType } from '#domain';
import type { Database, Session } from '../client.js';
import type { Prisma } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';
import { FEW_MATCHES, FEW_TASKS_BY_NAME, TASKS_BY_NAME } from '../sql/tasks-by-name.js';
import { Sql } from '../sql.js';
import { lastRuns } from './last-runs.js';
import { nameRange, startsWith } from './name-prefix.js';
import { type StoredTask, storedTask, type TaskWithParts, WITH_PARTS } from './task-row.js';

/** How far back a name is looked for before the index of names is asked. */
const NEWEST = 2_000;
const LAST_ID = 2n ** 63n - 1n;

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
  const rows = await pageOf(database, listing);
  const runs = await lastRuns(
    database.client,
    rows.map((row) => row.state?.lastRunId ?? null),
  );
  return rows.map((row) => storedTask(row, runs.get(row.state?.lastRunId ?? '')));
}

function pageOf(database: Database, listing: TaskListing): Promise<TaskWithParts[]> {
  if (listing.tag !== undefined) return pageOfTag(database, listing);
  return listing.name ? pageOfName(database, listing) : plainPage(database, listing);
}

/**
 * A start of a name that few tasks have is looked up in the index of names. One that many have fills its page from the
 * newest ones; if only old ones have it, that would walk the whole table (1.1 s among a million), so it goes by the index
 * of names after all, however many they are.
 */
async function pageOfName(database: Database, listing: TaskListing): Promise<TaskWithParts[]> {
  const { client } = database;
  const few = await fewIdsByName(database, listing);
  if (few !== null) return pageOfIds(client, few);
  const { tenantId, before, limit } = listing;
  const newest = { where: { tenantId: leading(database, tenantId), deleted: false, id: { lt: before } }, take: 1 };
  const order = [{ tenantId: 'desc' }, { id: 'desc' }] as const;
  const [edge] = await client.task.findMany({ ...newest, orderBy: [...order], skip: NEWEST, select: { id: true } });
  const near = { ...listing, notBefore: edge?.id };
  const page = await plainPage(database, near);
  if (page.length === limit || edge === undefined) return page;
  return pageOfIds(client, await idsByName(database, listing));
}

function pageOfIds(client: Session, ids: bigint[]): Promise<TaskWithParts[]> {
  return client.task.findMany({ where: { id: { in: ids } }, orderBy: { id: 'desc' }, include: WITH_PARTS });
}

/** Null when there are many, or when the names alone do not tell. */
async function fewIdsByName(database: Database, listing: TaskListing): Promise<bigint[] | null> {
  const { tenantId, name = '', before = LAST_ID, status, category, type, limit } = listing;
  if (status !== undefined || category !== undefined || type !== undefined) return null;
  const { from, to, pattern } = nameRange(name);
  const values = [tenantId, from, to, pattern, before, limit];
  const rows = await Sql.on(database).rows<{ id: bigint; matches: bigint }>(FEW_TASKS_BY_NAME, ...values);
  return Number(rows.at(0)?.matches ?? 0) > FEW_MATCHES ? null : rows.map(({ id }) => id);
}

async function idsByName(database: Database, listing: TaskListing): Promise<bigint[]> {
  const { tenantId, name = '', before = LAST_ID, status = null, category = null, type = null, limit } = listing;
  const { from, to, pattern } = nameRange(name);
  const others = [status, category, type, limit];
  const rows = await Sql.on(database).rows<{ id: bigint }>(
    TASKS_BY_NAME,
    tenantId,
    from,
    to,
    pattern,
    before,
    ...others,
  );
  return rows.map(({ id }) => id);
}

function plainPage(database: Database, listing: TaskListing & { notBefore?: bigint }): Promise<TaskWithParts[]> {
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

function conditions(listing: TaskListing & { notBefore?: bigint }): Prisma.TaskWhereInput {
  const { tenantId, before, notBefore, status, category, type, name } = listing;
  const liveName = name ? startsWith(name) : undefined;
  return { tenantId, deleted: false, id: { lt: before, gte: notBefore }, status, category, type, liveName };
}
