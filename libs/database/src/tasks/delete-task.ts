import { NotFound, StaleVersion } from '#domain';
import type { Database, Session } from '../client.js';
import type { Clock } from '../clock.js';
import { cancelColdRuns, cancelLeftColdRuns } from '../runs/cancel-cold-runs.js';
import {
  closeCanceled,
  executionsOf,
  findUnfinished,
  holdUnfinished,
  TASK_DELETED,
  type UnfinishedRun,
} from '../runs/cancel-runs.js';
import { takeBack } from '../runs/take-back.js';
import type { Execution } from '../runs/keep-leases.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';
import { holdTask } from './hold-task.js';
import type { StoredTask } from './task-row.js';
import type { TaskWitness } from './task-witness.js';

interface Deletion {
  tenantId: string;
  id: bigint;
  version?: number;
  witness?: TaskWitness;
}

export interface DeletedTask {
  /** What was called off with it. */
  canceled: Pick<UnfinishedRun, 'trigger'>[];
  /** To be broken off. */
  executions: Execution[];
}

/** The row stays for its history; the name becomes free, nothing is planned any more, unfinished runs are cancelled. */
export async function deleteTask(database: Database, clock: Clock, deletion: Deletion): Promise<DeletedTask> {
  const { canceled, areLeft } = await inTransaction(database, (session) =>
    deleteInside(database, session, clock, deletion),
  );
  const left = areLeft ? await cancelLeft(database, deletion.id, clock.now()) : [];
  return { canceled: [...canceled, ...left], executions: executionsOf(canceled) };
}

/** The task is deleted: what fails here is made up for when those runs' time comes. There may be very many. */
async function cancelLeft(database: Database, id: bigint, now: number): Promise<DeletedTask['canceled']> {
  const canceled: DeletedTask['canceled'] = [];
  try {
    for await (const some of cancelLeftColdRuns(database, id, now))
      for (const { trigger } of some) canceled.push({ trigger });
    return canceled;
  } catch {
    return canceled;
  }
}

async function deleteInside(database: Database, session: Session, clock: Clock, deletion: Deletion) {
  const { tenantId, id, version } = deletion;
  const task = await holdTask(database, session, tenantId, id);
  if (task === null) throw new NotFound('task', String(id));
  const current = task.row.version;
  if (version !== undefined && version !== current) throw new StaleVersion(String(id), version, current);
  const now = clock.now();
  const sql = Sql.on(database, session);
  await takeBack(sql, task.row, now);
  await markDeleted(session, task, new Date(now));
  await deletion.witness?.(sql, task, null);
  const hot = await cancelRuns(sql, task, now);
  const { canceled: cold, areLeft } = await cancelColdRuns(sql, id, now);
  return { canceled: [...hot, ...cold], areLeft };
}

async function markDeleted(session: Session, { row }: StoredTask, now: Date): Promise<void> {
  const state = { update: { nextFireAt: null, activeRuns: 0, queuedRuns: 0 } };
  await session.task.update({
    where: { id: row.id },
    data: { deleted: true, liveName: null, state, version: row.version + 1, updatedAt: now },
  });
  // A list by tag walks the tag's rows: those of deleted tasks would be in its way.
  await session.taskTag.deleteMany({ where: { taskId: row.id } });
}

async function cancelRuns(sql: Sql, { row }: StoredTask, now: number): Promise<UnfinishedRun[]> {
  const ids = await findUnfinished(sql, row.id, row.activeRuns + row.queuedRuns, now);
  const runs = await holdUnfinished(sql, ids);
  await closeCanceled(sql, runs, () => TASK_DELETED, now);
  return runs;
}
