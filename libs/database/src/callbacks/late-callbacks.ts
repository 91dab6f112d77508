import { type CallbackOutcome, failsTask, isFinal, type NotifyTargets, type RunStatus, statusUntilTold } from '#domain';
import type { Database } from '../client.js';
import { lockTasks } from '../runs/free-slots.js';
import { noticeRowsOf } from '../outbox/notice-row.js';
import { writeNotices } from '../outbox/write-notices.js';
import { CORRECT_RUN, KEEP_LATE_CALLBACK, MARK_LATE_CALLBACK } from '../sql/late-callbacks.js';
import { REMEMBER_ENDED_RUN } from '../sql/recount-task.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { inSqlTransaction, retried } from '../transaction.js';

/** Most different things late callbacks may say of one run and have kept. */
const MOST_KEPT = 20;

export interface LateSaid {
  runId: string;
  attempt: number;
  tenantId: string;
  hash: string;
  outcome: CallbackOutcome;
  result: unknown;
  errorInfo: string | null;
}

const jsonOrNull = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value));

export async function keepLateCallback(database: Database, late: LateSaid, now: number): Promise<void> {
  const { runId, attempt, hash, tenantId, outcome, result, errorInfo } = late;
  const row = [runId, attempt, hash, tenantId, outcome, jsonOrNull(result), errorInfo, sqlTime(now)];
  await retried(() => Sql.on(database).run(KEEP_LATE_CALLBACK, ...row, runId, MOST_KEPT));
}

export async function hasChangedRun(database: Database, runId: string): Promise<boolean> {
  return (await database.client.lateCallback.count({ where: { runId, effect: { not: 'RECORDED' } } })) > 0;
}

export type KeptEffect = 'ACCEPTED' | 'PENDING';

export async function markLateCallback(database: Database, late: LateSaid, effect: KeptEffect): Promise<void> {
  await Sql.on(database).run(MARK_LATE_CALLBACK, effect, late.runId, late.attempt, late.hash);
}

export interface Correction {
  late: LateSaid;
  taskId: bigint;
  execId: string;
  tickAttempt: number;
  from: RunStatus;
  to: RunStatus;
  /** Whom the team has named to be told: a success is COMPLETED until they are. */
  notify: NotifyTargets | null;
  effect: KeptEffect;
  errorCode: string | null;
  errorInfo: string | null;
  /** Null: what the run has stays. */
  result: unknown;
}

/**
 * A run that has ended gets another end, and its task remembers that one, if it was its last. It holds no slot before or after.
 * False when the run is not as it was seen any more.
 */
export function correctRun(database: Database, correction: Correction, now: number): Promise<boolean> {
  const { late, taskId, execId, tickAttempt, from, to, notify, errorCode, errorInfo, result, effect } = correction;
  const status = statusUntilTold(notify, to);
  return inSqlTransaction(database, async (sql) => {
    const [task] = await lockTasks(sql, [taskId]);
    const finishedAt = isFinal(status) ? sqlTime(now) : null;
    const values = [status, finishedAt, errorCode, errorInfo, jsonOrNull(result), late.runId, execId, from];
    if ((await sql.run(CORRECT_RUN, ...values)) === 0) return false;
    if (task?.last_ended_run_id === late.runId && failsTask(from) !== failsTask(to))
      await sql.run(REMEMBER_ENDED_RUN, late.runId, failsTask(to) ? tickAttempt : null, taskId);
    await sql.run(MARK_LATE_CALLBACK, effect, late.runId, late.attempt, late.hash);
    // The queue is not told of these: rescue finds them in a moment.
    const { runId, attempt, tenantId } = late;
    const ending = { runId, taskId, tenantId, notify, status: to, attempt, httpStatus: null, errorCode, errorInfo };
    await writeNotices(sql, noticeRowsOf({ ...ending, finishedAt: now }));
    return true;
  });
}
