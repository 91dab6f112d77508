import { type Executor, FIRST_LOOK_MS, LOST_AFTER_MS } from '#domain';
import { withdrawRuns, offerRuns } from '../agents/offer-runs.js';
import { DUE_ANEW } from '../sql/alarms.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { findUnfinished, holdUnfinished, type UnfinishedRun } from './cancel-runs.js';
import type { ReleasedRun } from './free-slots.js';
import { setAlarms } from './set-alarms.js';

/** Most runs one change of a task brings elsewhere at once; the others are found where they are looked after anyway. */
const MOST = 5_000;

interface Redirection {
  taskId: bigint;
  /** How many runs of the task are unfinished. */
  count: number;
  to: Executor;
  now: number;
}

/**
 * The task's executor was changed: what waits for its attempt is due where it belongs now, when it was due before. The caller holds
 * the task, has changed it, and tells the queue of the runs.
 */
export async function redirectRuns(sql: Sql, { taskId, count, to, now }: Redirection): Promise<ReleasedRun[]> {
  const found = await findUnfinished(sql, taskId, Math.min(count, MOST), now);
  if (found.length === 0) return [];
  const waiting = (await holdUnfinished(sql, found)).filter(isWaiting);
  const offers = await withdrawRuns(
    sql,
    waiting.map(({ id }) => ({ id, executor: 'AGENT' })),
  );
  const runs = waiting.map((run) => ({
    ...{ id: run.id, priority: run.priority, executor: to },
    dueAt: Math.max(now, offers.get(run.id)?.getTime() ?? dueOf(run)),
  }));
  await makeDue(sql, runs);
  await offerRuns(sql, runs);
  return runs;
}

const isWaiting = ({ status, wake_at }: UnfinishedRun): boolean =>
  (status === 'SCHEDULED' || status === 'RETRYING') && wake_at !== null;

/** A run is looked after a while after it is due. */
const dueOf = ({ wake_at }: UnfinishedRun): number => (wake_at?.getTime() ?? 0) - LOST_AFTER_MS;

async function makeDue(sql: Sql, runs: readonly ReleasedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map(({ id, dueAt }) => ({ id, at: sqlTime(dueAt + LOST_AFTER_MS) }));
  await sql.run(DUE_ANEW, JSON.stringify(rows));
  await setAlarms(
    sql,
    runs.map(({ id, dueAt }) => ({ runId: id, at: dueAt + FIRST_LOOK_MS })),
  );
}
