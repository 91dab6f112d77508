import { type Database, loadDefinitions, type OverdueRun, type Settlement } from '#database';
import { closeExecution, expiredVerdict, NO_RETRIES } from '#domain';

/** What becomes of runs whose agent has fallen silent, or has taken too long: the attempt counts. */
export async function expiredLeases(
  database: Database,
  runs: readonly OverdueRun[],
  now: number,
  random: () => number,
): Promise<Settlement[]> {
  if (runs.length === 0) return [];
  const tasks = new Map((await loadDefinitions(database, [...new Set(runs.map((run) => run.taskId))])).map(byId));
  return runs.map((run) => {
    const { retryPolicy = NO_RETRIES } = tasks.get(run.taskId) ?? {};
    const verdict = expiredVerdict({ ...run, agent: run.node }, now);
    const closing = closeExecution(verdict, { ...FACTS, ...run, retryPolicy }, now, random());
    return {
      ...identityOf(run),
      status: closing.status,
      outcome: verdict.kind === 'timeout' ? 'TIMEOUT' : 'LOST',
      startedAt: run.startedAt ?? now,
      finishedAt: now,
      dueAgainAt: closing.status === 'RETRYING' ? retryAt(verdict.kind, closing.retryAt, now) : null,
      ...('errorCode' in closing ? closing : NOTHING),
      ...{ httpStatus: null, result: null, request: { agent: run.node }, response: null },
      seenWakeAt: run.seenWakeAt,
      notify: run.notify,
    };
  });
}

const FACTS = { httpStatus: null, retryAfter: undefined };
const NOTHING = { errorCode: null, errorInfo: null };
const byId = <Task extends { id: bigint }>(task: Task) => [task.id, task] as const;

/** Nobody has worked on it for a while already: as for a lost worker, the next attempt need not wait. */
const retryAt = (kind: string, planned: number, now: number): number => (kind === 'timeout' ? planned : now);

function identityOf(run: OverdueRun) {
  const { taskId, tenantId, attempt, tickAttempt, node, priority, executor, trigger, traceId } = run;
  const names = { runId: run.id, taskId, tenantId, execId: run.execId ?? '', trigger, traceId };
  return { ...names, attempt, tickAttempt, node, priority, executor };
}
