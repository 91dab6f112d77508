import { firstIdOfSecond, type RunStatus } from '#domain';
import type { Database } from '../client.js';
import type { Prisma, TaskRun } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';
import { type IdRange, labelOf, listLabelledRuns } from './list-labelled-runs.js';
import type { RunListing } from './run-listing.js';

/** Newest first, by id, whose start is the scheduled second: order, cursor and time range are one walk along an index. */
export async function listRuns(database: Database, listing: RunListing): Promise<TaskRun[]> {
  const { limit, status } = listing;
  // In this order: a run that is admitted in between is in both answers, not in none.
  const cold = status === 'SCHEDULED' ? await listColdRuns(database, listing) : [];
  const others = await listOthers(database, listing);
  if (cold.length === 0) return others;
  const byId = new Map([...cold, ...others].map((run) => [run.id, run]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}

function listOthers(database: Database, listing: RunListing): Promise<TaskRun[]> {
  const { limit, before, status, from, to } = listing;
  const label = labelOf(listing);
  if (label !== null) return listLabelledRuns(database, listing, label, idRange(before, from, to));
  return database.client.taskRun.findMany({
    where: {
      ...owner(database, listing),
      ...(status === undefined ? {} : inStatus(database, status)),
      ...details(listing),
      scheduledTime: { gte: from, lte: to },
      id: idRange(before, from, to),
    },
    orderBy: [listing.taskId === undefined ? { tenantId: 'desc' } : { taskId: 'desc' }, { id: 'desc' }],
    take: limit,
  });
}

/** Cold runs have no alarm, and may be very many: they are walked by indexes of their own. */
async function listColdRuns(database: Database, listing: RunListing): Promise<TaskRun[]> {
  const { limit, before, from, to } = listing;
  const rows = await database.client.coldRun.findMany({
    where: {
      ...owner(database, listing),
      runId: idRange(before, from, to),
      startAt: { gte: from, lte: to },
      // Asked for nothing, it would still be a join with everything.
      run: isDetailed(listing) ? details(listing) : undefined,
    },
    orderBy: [listing.taskId === undefined ? { tenantId: 'desc' } : { taskId: 'desc' }, { runId: 'desc' }],
    include: { run: true },
    take: limit,
  });
  return rows.map((row) => row.run);
}

const details = ({ trigger, category, creator }: RunListing) => ({ trigger, category, creator });

const isDetailed = (listing: RunListing): boolean =>
  Object.values(details(listing)).some((value) => value !== undefined);

/** A task's runs are walked by the task's index, all others by the tenant's. */
function owner(database: Database, { tenantId, taskId }: RunListing) {
  if (taskId === undefined) return { tenantId: leading(database, tenantId) };
  return { tenantId, taskId: leading(database, taskId) };
}

const EVERYDAY: ReadonlySet<RunStatus> = new Set(['SCHEDULED', 'RUNNING', 'SUCCESS']);

/**
 * The everyday statuses have no index of their own, so that a run can pass through them without touching one. Runs in the first two
 * have an alarm set, and are few; those in the last are many among the everyday ones, which PostgreSQL has an index of.
 */
function inStatus({ dialect }: Database, status: RunStatus): Prisma.TaskRunWhereInput {
  if (!EVERYDAY.has(status)) return { attention: status };
  if (status !== 'SUCCESS') return { status, alarms: { some: {} } };
  // MariaDB would sort what it finds that way.
  return dialect === 'mysql' ? { status } : { status, attention: null };
}

export function idRange(before: string | undefined, from?: Date, to?: Date): IdRange {
  const after = to && firstIdOfSecond(secondOf(to) + 1);
  const ends = [before, after].filter((end) => end !== undefined).sort();
  return { gte: from && firstIdOfSecond(secondOf(from)), lt: ends[0] };
}

const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);
