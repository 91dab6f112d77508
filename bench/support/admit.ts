import { randomBytes } from 'node:crypto';
import { advanceTasks, type Clock, type Database, insertRuns, inSqlTransaction, type NewRun } from '#database';
import { LOST_AFTER_MS, onDemandRunId } from '#domain';
import { type EnqueueRuns, newTraceId } from '#pipeline';

export interface Admission {
  database: Database;
  clock: Clock;
  enqueue: EnqueueRuns;
}

/** Runs on demand of tasks without a limit, all of them in one transaction, as a batch request admits them. */
export async function admitOnDemand(
  { database, clock, enqueue }: Admission,
  taskIds: readonly bigint[],
): Promise<void> {
  const now = clock.now();
  const runs = taskIds.map((taskId) => newRun(taskId, now));
  await inSqlTransaction(database, async (sql) => {
    await insertRuns(sql, runs);
    await advanceTasks(
      sql,
      [...new Set(taskIds)].sort(ascending).map((id) => advanceOf(id, runs)),
    );
  });
  await enqueue.add(runs);
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);

function advanceOf(id: bigint, runs: readonly NewRun[]) {
  const own = runs.filter(({ taskId }) => taskId === id);
  return { id, nextFireAt: null, active: own.length, queued: 0, lastRunId: own.at(-1)?.id ?? null };
}

function newRun(taskId: bigint, now: number): NewRun {
  return {
    ...{ id: onDemandRunId(Math.floor(now / 1000), taskId, randomBytes(5).toString('hex')), tenantId: 'default' },
    ...{ taskId, taskName: `bench-${taskId}`, trigger: 'API', category: null, creator: null, priority: 0 },
    ...{ status: 'SCHEDULED', skipReason: null, missedFrom: null, missedCount: null, scheduledTime: now },
    ...{ queuedAt: now, dueAt: now, finishedAt: null, wakeAt: now + LOST_AFTER_MS, maxAttempts: 1, tickAttempt: 1 },
    ...{ attemptTimeoutSeconds: null, payload: undefined, traceId: newTraceId() },
  };
}
