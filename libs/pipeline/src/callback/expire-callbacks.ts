import { attemptStarts, type Database, loadDefinitions, type OverdueRun, type Settlement } from '#database';
import { closeExecution, expiryOf, NO_RETRIES } from '#domain';

/** What becomes of runs whose callback did not come in time. `random` gives numbers in [0, 1). */
export async function expirySettlements(
  database: Database,
  runs: readonly OverdueRun[],
  now: number,
  random: () => number,
): Promise<Settlement[]> {
  const expired = runs.flatMap((run) => {
    const expiry = expiryOf(run, now);
    return expiry === null || run.execId === null ? [] : [{ run, expiry, execId: run.execId }];
  });
  if (expired.length === 0) return [];
  const tasks = await loadDefinitions(database, [...new Set(expired.map(({ run }) => run.taskId))]);
  const policies = new Map(tasks.map((task) => [task.id, task.retryPolicy]));
  const starts = await attemptStarts(
    database,
    expired.map(({ run }) => run.id),
  );
  return expired.map(({ run, expiry, execId }) => {
    const { startedAt = now, httpStatus = null } = starts.get(run.id) ?? {};
    const facts = { ...run, httpStatus, retryPolicy: policies.get(run.taskId) ?? NO_RETRIES, retryAfter: undefined };
    const closing = closeExecution({ kind: 'timeout', ...expiry }, facts, now, random());
    return {
      ...{ runId: run.id, taskId: run.taskId, tenantId: run.tenantId, execId, attempt: run.attempt },
      ...{ tickAttempt: run.tickAttempt, node: run.node, priority: run.priority },
      ...{ from: 'WAITING_CALLBACK', seenWakeAt: run.seenWakeAt, status: closing.status, outcome: 'TIMEOUT' },
      ...{ startedAt, finishedAt: now, dueAgainAt: closing.status === 'RETRYING' ? closing.retryAt : null },
      ...{ httpStatus, ...expiry, result: null, request: null, response: null, notify: run.notify },
      ...{ trigger: run.trigger, traceId: run.traceId },
    };
  });
}
