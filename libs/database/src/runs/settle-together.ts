import { failsTask, isFinal } from '#domain';
import type { Database } from '../client.js';
import { END_RUNS, END_SUCCESSES, LEAVE_TASKS } from '../sql/settle-together.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { leaveAttempts } from './close-on-mysql.js';
import { byRunId } from './run-order.js';
import { closedStatusOf, type Settlement } from './settlement.js';

/** An execution that ends its run for good, and whose run nobody but its worker has moved. */
const isPlain = (one: Settlement): boolean =>
  isFinal(one.status) && closedStatusOf(one) === one.status && !one.from && !one.seenWakeAt && !one.callback;

/**
 * Closes the executions all together or not at all: false when somebody waits for a slot of their tasks, when one of them is stale,
 * or when one is more than the end of its run; then nothing was done. MySQL only: without reading anything first it costs half.
 */
export async function settleTogether(database: Database, settlements: readonly Settlement[]): Promise<boolean> {
  if (!settlements.every(isPlain)) return false;
  const tasks = leavingTasks(settlements);
  const runs = [...settlements].sort(byRunId);
  try {
    await inSqlTransaction(database, async (sql) => {
      metAll(tasks, await sql.run(LEAVE_TASKS, JSON.stringify(tasks)));
      metAll(runs, await endRuns(sql, runs));
      await leaveAttempts(sql, runs);
    });
    return true;
  } catch (error) {
    if (error instanceof NotAll) return false;
    throw error;
  }
}

/** Takes the transaction back. */
class NotAll extends Error {}

function metAll(rows: readonly unknown[], met: number): void {
  if (met !== rows.length) throw new NotAll();
}

/** By ascending task, as everybody locks them. */
function leavingTasks(settlements: readonly Settlement[]): unknown[][] {
  const tasks = new Map<bigint, { newest: Settlement; slots: number }>();
  for (const one of settlements) {
    const task = tasks.get(one.taskId);
    if (task === undefined) tasks.set(one.taskId, { newest: one, slots: 1 });
    else {
      task.slots += 1;
      if (one.runId > task.newest.runId) task.newest = one;
    }
  }
  return [...tasks]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([taskId, { newest, slots }]) => {
      const { runId, status, tickAttempt } = newest;
      return [String(taskId), slots, runId, ...(failsTask(status) ? [tickAttempt] : [])];
    });
}

function endRuns(sql: Sql, runs: readonly Settlement[]): Promise<number> {
  if (runs.every(isEveryday)) return sql.run(END_SUCCESSES, JSON.stringify(runs.map((one) => endOf(one))));
  return sql.run(END_RUNS, JSON.stringify(runs.map((one) => endOf(one, [one.status, one.errorCode, one.errorInfo]))));
}

const isEveryday = ({ status, errorCode, errorInfo }: Settlement): boolean =>
  status === 'SUCCESS' && errorCode === null && errorInfo === null;

/** In the order of the statements. What is not there is NULL; null itself would be a result. */
function endOf({ runId, execId, finishedAt, httpStatus, result }: Settlement, more: unknown[] = []): unknown[] {
  const end = [runId, execId, sqlTime(finishedAt), httpStatus, ...more];
  if (result !== null) end.push(result);
  return end;
}
