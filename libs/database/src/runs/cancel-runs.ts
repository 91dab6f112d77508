import { type Executor, firstIdAfterHotOnes, type RunStatus, type RunTrigger } from '#domain';
import { withdrawRuns } from '../agents/offer-runs.js';
import { type NoticeToSend, toSend, writeNoticesOf } from '../outbox/write-notices.js';
import { CANCEL_ATTEMPTS, CANCEL_RUNS, FIND_UNFINISHED_RUNS, HOLD_UNFINISHED_RUNS } from '../sql/cancel-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { freeSlots, leavingOf, type LockedTask, type ReleasedRun } from './free-slots.js';
import type { Execution } from './keep-leases.js';

export interface CancelReason {
  errorCode: string;
  errorInfo: string;
}

export const TASK_DELETED: CancelReason = { errorCode: 'TASK_DELETED', errorInfo: 'the task was deleted' };

export interface UnfinishedRun {
  id: string;
  task_id: bigint;
  status: RunStatus;
  exec_id: string | null;
  attempt: number;
  tick_attempt: number;
  wake_at: Date | null;
  priority: number;
  trigger: RunTrigger;
  executor: Executor;
  /** Whether its task has somebody to tell. */
  notifies: boolean | number;
}

export interface CancelReport {
  canceled: UnfinishedRun[];
  released: ReleasedRun[];
  notices: NoticeToSend[];
}

/**
 * Calls off those of the runs that are not finished: the runs, the slots and places they held, and the waiting runs that
 * take those slots. The caller holds the tasks.
 */
export async function cancelRuns(
  sql: Sql,
  tasks: readonly LockedTask[],
  runs: readonly UnfinishedRun[],
  reasonOf: (run: UnfinishedRun) => CancelReason,
  now: number,
): Promise<CancelReport> {
  const notices = await closeCanceled(sql, runs, reasonOf, now);
  const released = await freeSlots(sql, tasks, leavingOf(runs.map(leavingRun)), now);
  return { canceled: [...runs], released, notices };
}

/** The rows alone, and what teams are told of them: the caller moves the counters. */
export async function closeCanceled(
  sql: Sql,
  runs: readonly UnfinishedRun[],
  reasonOf: (run: UnfinishedRun) => CancelReason,
  now: number,
): Promise<NoticeToSend[]> {
  if (runs.length === 0) return [];
  const rows = runs.map((run) => {
    const { errorCode, errorInfo } = reasonOf(run);
    return { id: run.id, at: sqlTime(now), error_code: errorCode, error_info: errorInfo };
  });
  const json = JSON.stringify(rows);
  if (runs.some((run) => run.status === 'RUNNING' || run.status === 'WAITING_CALLBACK'))
    await sql.run(CANCEL_ATTEMPTS, json);
  await sql.run(CANCEL_RUNS, json);
  await withdrawRuns(sql, runs.filter(isWaiting));
  const told = runs.filter((run) => Boolean(run.notifies)).map((run) => endingOf(run, reasonOf(run), now));
  return (await writeNoticesOf(sql, told)).map((row) => toSend(row, now));
}

const isWaiting = ({ status }: UnfinishedRun): boolean => status === 'SCHEDULED' || status === 'RETRYING';

const endingOf = (run: UnfinishedRun, reason: CancelReason, now: number) => ({
  ...{ runId: run.id, taskId: run.task_id, status: 'CANCELED' as const, attempt: run.attempt, httpStatus: null },
  ...{ ...reason, finishedAt: now },
});

/** Locks those of the runs that are not finished. */
export function holdUnfinished(sql: Sql, ids: Iterable<string>): Promise<UnfinishedRun[]> {
  return sql.rows<UnfinishedRun>(HOLD_UNFINISHED_RUNS, JSON.stringify([...new Set(ids)].sort()));
}

/** The ids of a task's unfinished runs; its counters say how many there are. */
export async function findUnfinished(sql: Sql, taskId: bigint, count: number, now: number): Promise<string[]> {
  if (count === 0) return [];
  const rows = await sql.rows<{ id: string }>(FIND_UNFINISHED_RUNS, taskId, firstIdAfterHotOnes(now), count);
  return rows.map((run) => run.id);
}

/** The executions whose calls are to be broken off. */
export const executionsOf = (canceled: readonly UnfinishedRun[]): Execution[] =>
  canceled.flatMap(({ id, status, exec_id: execId }) =>
    status === 'RUNNING' && execId !== null ? [{ id, execId }] : [],
  );

/** A cold run holds no slot yet: nobody wakes for it. */
export function leavingRun({
  id,
  task_id: taskId,
  status,
  attempt,
  tick_attempt: tickAttempt,
  wake_at,
}: UnfinishedRun) {
  const place = status === 'QUEUED';
  const ended = attempt > 0 ? { id, status: 'CANCELED' as const, tickAttempt } : undefined;
  const isCold = status === 'SCHEDULED' && wake_at === null;
  return { taskId, slot: !place && !isCold, place, ended };
}
