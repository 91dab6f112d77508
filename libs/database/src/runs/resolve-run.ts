import { NotFound, WrongState } from '#domain';
import type { Session } from '../client.js';
import type { Prisma, TaskRun } from '../generated/postgresql/client.js';

export interface Resolution {
  tenantId: string;
  id: string;
  remark: string;
  /** Absent: what the run has stays. */
  result?: unknown;
}

/** PENDING becomes MANUALLY_PROCESSED, by whoever is first. It held no slot, so none comes free. */
export async function resolveRun(
  session: Session,
  { tenantId, id, remark, result }: Resolution,
  now: Date,
): Promise<TaskRun> {
  const given = result === undefined ? {} : { result: result as Prisma.InputJsonValue };
  const { count } = await session.taskRun.updateMany({
    where: { id, tenantId, status: 'PENDING' },
    data: { status: 'MANUALLY_PROCESSED', remark, finishedAt: now, ...given },
  });
  const run = await session.taskRun.findFirst({ where: { id, tenantId } });
  if (run === null) throw new NotFound('run', id);
  if (count === 0) throw new WrongState(id, run.status, 'only a PENDING run can be resolved');
  return run;
}
