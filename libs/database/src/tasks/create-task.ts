import { NameTaken, type TaskDefinition } from '#domain';
import type { Session } from '../client.js';
import { faultOf } from '../errors.js';
import { planOf } from './plan-task.js';
import { columnsOf, type StoredTask, storedTask, tagRows, WITH_PARTS } from './task-row.js';

/** Runs in the caller's transaction, which also keeps the answer for an idempotency key. */
export async function createTask(
  session: Session,
  tenantId: string,
  task: TaskDefinition,
  now: Date,
): Promise<StoredTask> {
  const { cronExpr, nextFireAt } = planOf(task, now);
  const data = { ...columnsOf(task, cronExpr), tenantId, createdAt: now, updatedAt: now };
  const state = { create: { tenantId, nextFireAt } };
  try {
    return storedTask(
      await session.task.create({
        data: { ...data, state, tags: { createMany: { data: tagRows(tenantId, task.tags) } } },
        include: WITH_PARTS,
      }),
    );
  } catch (error) {
    throw faultOf(error) === 'duplicate' ? new NameTaken(task.name) : error;
  }
}
