import { NameTaken, NotFound, StaleVersion, type TaskDefinition } from '#domain';
import type { Database, Session } from '../client.js';
import type { Clock } from '../clock.js';
import { faultOf } from '../errors.js';
import { freeSlots, lockTasks, type ReleasedRun } from '../runs/free-slots.js';
import { takeBack } from '../runs/take-back.js';
import { redirectRuns } from '../runs/redirect-runs.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';
import { findTask } from './find-task.js';
import { holdTask } from './hold-task.js';
import { planOf, plansDiffer } from './plan-task.js';
import { columnsOf, definitionOf, type StoredTask, tagRows } from './task-row.js';
import type { TaskWitness } from './task-witness.js';

export interface TaskChange {
  tenantId: string;
  id: bigint;
  /** The version the change was made from: any other and nothing happens. */
  version: number;
  task: TaskDefinition;
  witness?: TaskWitness;
}

/** The task as it is now, and the runs that need no longer wait for a slot, or have another executor now: the caller tells the queue of them. */
export interface ChangedTask {
  task: StoredTask;
  released: ReleasedRun[];
}

/** The whole definition at once. What was planned is worked out anew only if the schedule or the status changed. */
export async function replaceTask(database: Database, clock: Clock, change: TaskChange): Promise<ChangedTask> {
  try {
    return await inTransaction(database, (session) => replaceLocked(database, session, clock, change));
  } catch (error) {
    throw faultOf(error) === 'duplicate' ? new NameTaken(change.task.name) : error;
  }
}

async function replaceLocked(
  database: Database,
  session: Session,
  clock: Clock,
  change: TaskChange,
): Promise<ChangedTask> {
  const { tenantId, id, version, task } = change;
  const before = await holdTask(database, session, tenantId, id);
  if (before === null) throw new NotFound('task', String(id));
  if (before.row.version !== version) throw new StaleVersion(String(id), version, before.row.version);
  // Only now: waiting for the lock may have taken a while, and nothing due before the change may fire after it.
  const now = new Date(clock.now());
  const { cronExpr, nextFireAt } = planOf(task, now);
  const replans = plansDiffer(definitionOf(before), task);
  const sql = Sql.on(database, session);
  if (replans || task.executor !== before.row.executor) await takeBack(sql, before.row, now.getTime());
  await session.task.update({
    where: { id },
    data: {
      ...columnsOf(task, cronExpr),
      ...(replans ? { state: { update: { nextFireAt } } } : {}),
      version: version + 1,
      updatedAt: now,
    },
  });
  if (before.tags.join('\n') !== task.tags.join('\n')) await replaceTags(session, tenantId, id, task.tags);
  const redirected = await redirect(sql, before, task, now.getTime());
  const waiting = before.row.queuedRuns > 0;
  const released = waiting ? await freeSlots(sql, await lockTasks(sql, [id]), new Map(), now.getTime()) : [];
  const after = (await findTask(session, tenantId, id)) as StoredTask;
  await change.witness?.(sql, before, after);
  return { task: after, released: [...redirected, ...released] };
}

/** Runs that wait for their attempt go to whoever carries them out from now on. */
async function redirect(sql: Sql, { row }: StoredTask, { executor: to }: TaskDefinition, now: number) {
  const count = row.activeRuns + row.queuedRuns;
  return row.executor === to || count === 0 ? [] : redirectRuns(sql, { taskId: row.id, count, to, now });
}

async function replaceTags(session: Session, tenantId: string, taskId: bigint, tags: string[]): Promise<void> {
  await session.taskTag.deleteMany({ where: { taskId } });
  await session.taskTag.createMany({ data: tagRows(tenantId, tags).map((row) => ({ ...row, taskId })) });
}
