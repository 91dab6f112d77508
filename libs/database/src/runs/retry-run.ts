import { FIRST_LOOK_MS, hasFreeSlot, LOST_AFTER_MS, NoFreeSlot, type RunTrigger, TaskOfRunDeleted } from '#domain';
import type { Database } from '../client.js';
import { RETRY_RUN, TAKE_SLOT } from '../sql/handle-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql, Statement } from '../sql.js';
import { lockTask } from '../tasks/lock-task.js';
import type { TaskFacts } from '../tasks/task-facts.js';
import { offerRuns } from '../agents/offer-runs.js';
import { inSqlTransaction } from '../transaction.js';
import type { ReleasedRun } from './free-slots.js';
import { type Handling, holdPending, keepHandling } from './keep-handling.js';
import { jsonOrNull } from './resolve-run.js';
import { setAlarms } from './set-alarms.js';

export interface Retrial extends Handling {
  /** Absent: what the run has stays. */
  payload?: unknown;
}

export type RetriedRun = ReleasedRun & { trigger: RunTrigger };

const TASK_OF_RUN: Statement = {
  postgresql: 'SELECT task_id FROM task_runs WHERE id = $1 AND tenant_id = $2',
  mysql: 'SELECT task_id FROM task_runs WHERE id = ? AND tenant_id = ?',
};

/**
 * PENDING becomes RETRYING, due at once, by whoever is first. It takes a slot of its task like any run that is about to be executed:
 * throws NoFreeSlot where there is none.
 */
export function retryRun(database: Database, retrial: Retrial, now: number): Promise<RetriedRun> {
  const { id, tenantId } = retrial;
  return inSqlTransaction(database, async (sql) => {
    const [found] = await sql.rows<{ task_id: bigint }>(TASK_OF_RUN, id, tenantId);
    const task = found === undefined ? null : await lockTask(sql, tenantId, found.task_id);
    const { priority, trigger } = await holdPending(sql, retrial, 'retried');
    if (task === null) throw new TaskOfRunDeleted(id);
    if (!hasFreeSlot(task)) throw new NoFreeSlot(id, String(task.id), task);
    await retryHeld(sql, task, retrial, now);
    const run = { id, priority, dueAt: now, executor: task.executor };
    await offerRuns(sql, [run]);
    return { ...run, trigger };
  });
}

async function retryHeld(sql: Sql, { id: taskId }: TaskFacts, retrial: Retrial, now: number): Promise<void> {
  const { id, payload, remark } = retrial;
  const wakeAt = now + LOST_AFTER_MS;
  await keepHandling(sql, retrial, { action: 'RETRY', editsPayload: payload !== undefined }, now);
  await sql.run(TAKE_SLOT, taskId);
  await sql.run(RETRY_RUN, sqlTime(wakeAt), jsonOrNull(payload), remark ?? null, id);
  await setAlarms(sql, [{ runId: id, at: now + FIRST_LOOK_MS }]);
}
