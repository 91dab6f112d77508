import { firstIdOfSecond, type RunStatus, type RunTrigger } from '#domain';
import type { Session } from '../client.js';
import type { Prisma, TaskRun } from '../generated/postgresql/client.js';

export interface RunListing {
  tenantId: string;
  limit: number;
  /** Only runs whose id sorts before this one. */
  before?: string;
  taskId?: bigint;
  status?: RunStatus;
  trigger?: RunTrigger;
  category?: string;
  creator?: string;
  /** Both ends of the scheduled time belong to the range. */
  from?: Date;
  to?: Date;
}

/** Newest first, by id, whose start is the scheduled second: order, cursor and time range are one walk along an index. */
export function listRuns(session: Session, listing: RunListing): Promise<TaskRun[]> {
  const { tenantId, limit, before, taskId, status, trigger, category, creator, from, to } = listing;
  return session.taskRun.findMany({
    where: {
      tenantId,
      taskId,
      status,
      trigger,
      category,
      creator,
      scheduledTime: { gte: from, lte: to },
      id: idRange(before, from, to),
    },
    orderBy: { id: 'desc' },
    take: limit,
  });
}

function idRange(before: string | undefined, from?: Date, to?: Date): Prisma.StringFilter {
  const after = to && firstIdOfSecond(secondOf(to) + 1);
  const ends = [before, after].filter((end) => end !== undefined).sort();
  return { gte: from && firstIdOfSecond(secondOf(from)), lt: ends[0] };
}

const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);
