import type { Database } from '../client.js';
import { faultOf } from '../errors.js';
import { planOf } from '../tasks/plan-task.js';
import { definitionOf, storedTask, WITH_PARTS } from '../tasks/task-row.js';

/** Whether a task is there, but not its state. */
export async function lacksState(database: Database, id: bigint): Promise<boolean> {
  return (await database.client.task.findFirst({ where: { id, state: null }, select: { id: true } })) !== null;
}

/** Gives a task the state it lacks, planned from now on. False when somebody else was faster. */
export async function restoreState(database: Database, id: bigint, now: number): Promise<boolean> {
  const row = await database.client.task.findUniqueOrThrow({ where: { id }, include: WITH_PARTS });
  const nextFireAt = row.deleted ? null : planOf(definitionOf(storedTask(row)), new Date(now)).nextFireAt;
  try {
    await database.client.taskState.create({ data: { taskId: id, tenantId: row.tenantId, nextFireAt } });
    return true;
  } catch (error) {
    if (faultOf(error) === 'duplicate') return false;
    throw error;
  }
}
