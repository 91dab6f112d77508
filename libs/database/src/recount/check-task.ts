import { diagnose, type Problem } from '#domain';
import type { Database } from '../client.js';
import { lockTasks, type ReleasedRun } from '../runs/free-slots.js';
import { MISREMEMBERED_RUN } from '../sql/recount-task.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { recount } from './held-task.js';
import { repairTask } from './repair-task.js';
import { lacksState, restoreState } from './restore-state.js';

export interface Checkup {
  taskId: bigint;
  problems: Problem[];
  /** Runs that waited and need no longer: the caller tells the queue of them. */
  released: ReleasedRun[];
}

/** Counts the runs of one task while its state is held, and puts right what is wrong, if that is asked for. */
export async function checkTask(
  database: Database,
  taskId: bigint,
  now: number,
  { repair }: { repair: boolean },
): Promise<Checkup> {
  const problems: Problem[] = [];
  if (await lacksState(database, taskId)) {
    if (!repair) return { taskId, problems: [{ kind: 'no_state' }], released: [] };
    if (await restoreState(database, taskId, now)) problems.push({ kind: 'no_state' });
  }
  const { found, released } = await inSqlTransaction(database, (sql) => checkHeld(sql, taskId, now, repair));
  return { taskId, problems: [...problems, ...found], released };
}

async function checkHeld(sql: Sql, taskId: bigint, now: number, repair: boolean) {
  const [locked] = await lockTasks(sql, [taskId]);
  if (locked === undefined) return { found: [], released: [] };
  const held = await recount(sql, locked);
  const found = diagnose({
    deleted: held.deleted,
    maxConcurrency: held.task.max_concurrency,
    concurrencyPolicy: held.task.concurrency_policy,
    stored: { active: held.task.active_runs, queued: held.task.queued_runs },
    counted: { active: held.slotRuns.length, queued: held.queuedRuns.length },
    asleep: held.asleep.map((run) => run.id),
    remembersWrong: (await sql.rows(MISREMEMBERED_RUN, taskId)).length > 0,
  });
  return { found, released: repair ? await repairTask(sql, held, found, now) : [] };
}
