import { NameTaken, type TaskDefinition } from '#domain';
import type { Session } from '../client.js';
import { faultOf } from '../errors.js';
import { planOf } from './plan-task.js';
import { columnsOf, type StoredTask, storedTask, tagRows, WITH_TAGS } from './task-row.js';

/** Runs in the caller's transaction, which also keeps the answer for an idempotency key. */
export async function createTask(
  session: Session,
  tenantId: string,
  task: TaskDefinition,
  now: Date,
): Promise<StoredTask> {
  const { cronExpr, nextFireAt } = planOf(task, now);
  const data = { ...columnsOf(task, cronExpr), tenantId, nextFireAt, createdAt: now, updatedAt: now };
  try {
    return storedTask(
      await session.task.create({
        data: { ...data, tags: { createMany: { data: tagRows(tenantId, task.tags) } } },
        include: WITH_TAGS,
      }),
    );
  } catch (error) {
    throw faultOf(error) === 'duplicate' ? new NameTaken(task.name) : error;
  }
}
