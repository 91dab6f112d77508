import { type Clock, type Database, type OverdueRun, type Settlement, settleRuns, takeOverdueRuns } from '#database';
import { LOST_AFTER_MS } from '#domain';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';

/** Most alarms one look goes through, and most runs one pass acts on. */
const MOST = 1_000;

export interface RescueReport {
  enqueued: number;
  nodeLost: number;
}

/**
 * Looks after runs nobody has moved in time: those the queue has lost go back into it, those whose worker is gone are
 * closed or tried again. Bounded, and safe to run anywhere, twice, at once: every step is guarded.
 */
export class Rescue {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly log: Logger,
  ) {}

  async runOnce(): Promise<RescueReport> {
    const report = { enqueued: 0, nodeLost: 0 };
    for (;;) {
      const now = this.clock.now();
      const { alarms, overdue } = await takeOverdueRuns(this.database, now, now + LOST_AFTER_MS, MOST);
      await this.lookAfter(overdue, now, report);
      // Most alarms belong to runs that are long closed: go on until they are through, but act on a bounded number.
      if (alarms < MOST || report.enqueued + report.nodeLost >= MOST) break;
    }
    if (report.enqueued + report.nodeLost > 0) this.log.warn(report, 'rescued overdue runs');
    return report;
  }

  private async lookAfter(overdue: OverdueRun[], now: number, report: RescueReport): Promise<void> {
    const toEnqueue = overdue.filter((run) => run.status === 'SCHEDULED' || run.status === 'RETRYING');
    const ofLostNodes = overdue.filter((run) => run.status === 'RUNNING' && run.execId !== null);
    await this.enqueue.add(toEnqueue.map((run) => ({ ...run, dueAt: now })));
    if (ofLostNodes.length > 0) await this.closeLost(ofLostNodes, now);
    report.enqueued += toEnqueue.length;
    report.nodeLost += ofLostNodes.length;
  }

  private async closeLost(runs: OverdueRun[], now: number): Promise<void> {
    const settlements = runs.map((run) => nodeLost(run, now));
    const { settled, released } = await settleRuns(this.database, settlements, now);
    const again = runs.filter((run) => settled.has(run.id) && hasAttemptsLeft(run));
    const next = [...released.map(({ runId, ...run }) => ({ ...run, id: runId })), ...again];
    await this.enqueue.add(next.map((run) => ({ ...run, dueAt: now })));
  }
}

const hasAttemptsLeft = (run: OverdueRun) => run.attempt < run.maxAttempts;

function nodeLost(run: OverdueRun, now: number): Settlement {
  const again = hasAttemptsLeft(run);
  return {
    runId: run.id,
    taskId: run.taskId,
    tenantId: run.tenantId,
    execId: run.execId ?? '',
    attempt: run.attempt,
    node: run.node,
    priority: run.priority,
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
  };
}
