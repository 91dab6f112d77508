import { type Database, listNodes, type OverdueRun, type Settlement } from '#database';
import { mayGoOnAfterLoss } from '#domain';

/** Why a worker has let the lease of a run pass. */
export type LossReason = 'node_dead' | 'node_gone' | 'lease_expired';

/**
 * For those who look at the numbers; the lease alone decides that the run is lost. It has to: a node that is listed as dead may be a
 * worker that cannot reach the database and is calling all the same, until the end of its lease.
 */
export async function lossReasons(database: Database, runs: readonly OverdueRun[]): Promise<Map<LossReason, number>> {
  const counts = new Map<LossReason, number>();
  if (runs.length === 0) return counts;
  const nodes = await listNodes(database).catch(() => null);
  const states = new Map(nodes?.map(({ id, state }) => [id, state]));
  for (const { node } of runs) {
    const state = states.get(node ?? '');
    const isGone = state === undefined && nodes !== null;
    const reason = isGone ? 'node_gone' : state === 'DEAD' ? 'node_dead' : 'lease_expired';
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}

/** What becomes of a run whose worker is lost: the next attempt at once, or the end. */
export function nodeLost(run: OverdueRun, now: number): Settlement {
  const again = mayGoOnAfterLoss(run);
  return {
    runId: run.id,
    taskId: run.taskId,
    tenantId: run.tenantId,
    execId: run.execId ?? '',
    attempt: run.attempt,
    tickAttempt: run.tickAttempt,
    node: run.node,
    priority: run.priority,
    executor: run.executor,
    status: again ? 'RETRYING' : run.needManual ? 'PENDING' : 'FAILED',
    outcome: 'LOST',
    startedAt: run.startedAt ?? now,
    finishedAt: now,
    dueAgainAt: again ? now : null,
    httpStatus: null,
    errorCode: 'NODE_LOST',
    errorInfo: `worker ${run.node ?? ''} stopped answering while it executed attempt ${run.attempt}`,
    result: null,
    request: null,
    response: null,
    // A worker that has kept its lease in this very moment keeps its run.
    seenWakeAt: run.seenWakeAt,
    notify: run.notify,
    trigger: run.trigger,
    traceId: run.traceId,
  };
}
