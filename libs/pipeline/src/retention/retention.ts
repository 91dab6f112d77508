import {
  type Clock,
  type Database,
  deleteBackfills,
  deleteTasks,
  leaveRetention,
  type RetentionLease,
  type RetireOrder,
  retireRuns,
  takeRetention,
  tenants,
} from '#database';
import { DELETED_STATUSES, type DeletedStatus, type RetentionStep, retentionSteps } from '#domain';
import type { Logger } from 'pino';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import { Pace, type PaceOptions } from './pace.js';
import type { RetentionPolicy } from './retention-policy.js';
import { TrimLogs } from './trim-logs.js';

export interface RetentionOptions extends PaceOptions {
  policy: RetentionPolicy;
  /** Names this process. */
  holder: string;
  /** Rows of one transaction. */
  batchSize: number;
  /** How long nobody need come again after a pass that left nothing. */
  restMs: number;
}

export interface RetentionReport {
  archived: number;
  deleted: Record<DeletedStatus, number>;
  backfills: number;
  tasks: number;
  /** Runs whose attempts were dropped from the log of their task. */
  logs: number;
  /** Whether something is left that one pass had no room for. */
  isBehind: boolean;
}

/** Longer than any statement may take. */
const LEASE_MS = 60_000;
/** How long ago a task was deleted before it is forgotten: whoever still holds something of it has let go by then. */
const TASK_MS = 86_400_000;

/** The lease went to another process; what is left is up to that one. */
class LeaseLost extends Error {}

/**
 * Moves what ended well to the archive, and deletes what has been kept long enough, with all that belongs to it. From the
 * oldest on, in small transactions with a rest after each, one process at a time: a lease in the database says which.
 */
export class Retention {
  private readonly lease: RetentionLease;
  private readonly logs: TrimLogs;
  private pace: Pace;
  private isStopping = false;
  /** The part that the next pass begins with: where one pass had no more room, so that no tenant's backlog holds up the others. */
  private turn = 0;
  /** By tenant, where the next look at deleted tasks begins. */
  private readonly afterTask = new Map<string, bigint>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly options: RetentionOptions,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
  ) {
    this.lease = { holder: options.holder, leaseMs: LEASE_MS };
    this.pace = new Pace(options);
    this.logs = new TrimLogs(database, this.lease, options);
  }

  /** One pass; null when another process is at it, or has been a moment ago. */
  async runOnce(): Promise<RetentionReport | null> {
    if (!(await takeRetention(this.database, this.lease))) return null;
    this.pace = new Pace(this.options);
    if (this.isStopping) this.pace.stop();
    const began = performance.now();
    const report = nothingYet();
    try {
      await this.pass(report);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      this.log.warn('another process has taken over the retention');
    } finally {
      this.metrics.retentionPassed(performance.now() - began);
      report.isBehind = !this.pace.goesOn;
      await leaveRetention(this.database, this.lease, report.isBehind ? 0 : this.options.restMs).catch(() => undefined);
    }
    return report;
  }

  /** Ends the pass after the batch it is in. */
  stop(): void {
    this.isStopping = true;
    this.pace.stop();
  }

  private async pass(report: RetentionReport): Promise<void> {
    const now = this.clock.now();
    const parts = this.partsOf(await tenants(this.database), now, report);
    const first = this.turn % parts.length;
    for (const part of [...parts.slice(first), ...parts.slice(0, first)]) {
      if (!this.pace.goesOn) return;
      this.turn = parts.indexOf(part) + 1;
      await this.orSay(part);
    }
  }

  private partsOf(tenantIds: readonly string[], now: number, report: RetentionReport): (() => Promise<void>)[] {
    return [
      ...tenantIds.flatMap((tenantId) => [
        ...retentionSteps(this.options.policy, now).map((step) => () => this.take(step, tenantId, report)),
        () => this.forgetTasks(tenantId, now, report),
      ]),
      () => this.forgetBackfills(now, report),
      async () => void (report.logs += kept(await this.logs.runOnce(this.pace, now))),
    ];
  }

  /** What cannot be done must not keep the rest from it. */
  private async orSay(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.log.error({ err: error }, 'a part of the retention failed; the next pass tries again');
    }
  }

  private async take(step: RetentionStep, tenantId: string, report: RetentionReport): Promise<void> {
    const { batchSize: limit } = this.options;
    for (let after: string | null = ''; after !== null && this.pace.goesOn;) {
      const order: RetireOrder = { ...step, tenantId, after, limit, now: this.clock.now() };
      const { retired, next } = await this.pace.batch(
        async () => kept(await retireRuns(this.database, this.lease, order)),
        (batch) => batch.retired,
      );
      this.count(step, retired, report);
      after = next;
    }
  }

  private count({ action, status }: RetentionStep, runs: number, report: RetentionReport): void {
    if (action === 'archive') report.archived += runs;
    else report.deleted[status] += runs;
    if (action === 'archive') this.metrics.archived(runs);
    else this.metrics.deleted(status, runs);
  }

  private async forgetTasks(tenantId: string, now: number, report: RetentionReport): Promise<void> {
    const after = this.afterTask.get(tenantId) ?? 0n;
    const page = { tenantId, after, limit: this.options.batchSize, deletedBefore: now - TASK_MS };
    const { deleted, next } = await this.pace.batch(
      async () => kept(await deleteTasks(this.database, this.lease, page)),
      (batch) => batch.deleted,
    );
    report.tasks += deleted;
    this.afterTask.set(tenantId, next);
  }

  private async forgetBackfills(now: number, report: RetentionReport): Promise<void> {
    const { policy, batchSize } = this.options;
    if (policy.backfillsAfterMs === null) return;
    const endedBefore = now - policy.backfillsAfterMs;
    report.backfills += await this.pace.batch(
      async () => kept(await deleteBackfills(this.database, this.lease, endedBefore, batchSize)),
      (deleted) => deleted,
    );
  }
}

const nothingYet = (): RetentionReport => ({
  archived: 0,
  deleted: Object.fromEntries(DELETED_STATUSES.map((status) => [status, 0])) as Record<DeletedStatus, number>,
  ...{ backfills: 0, tasks: 0, logs: 0, isBehind: false },
});

/** What was done under the lease. Throws LeaseLost. */
function kept<Result>(result: Result | null): Result {
  if (result === null) throw new LeaseLost();
  return result;
}
