import {
  advanceTasks,
  claimDueTasks,
  claimTasksAhead,
  type Clock,
  type Database,
  type DueTask,
  existingRuns,
  faultOf,
  hasDueTasks,
  executionsOf,
  insertRuns,
  inSqlTransaction,
  type NewRun,
  nextCrowd,
  rememberReplaced,
  replaceRuns,
  type Sql,
  type UnfinishedRun,
  writeAlerts,
} from '#database';
import type { AlertKind } from '#domain';
import type { Signals } from '#queue';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import { newTraceId } from '../trace/trace-id.js';
import type { Tracing } from '../trace/tracing.js';
import { type BatchDecision, decideBatch, dispatchable, type TickSettings } from './decide-batch.js';
import { HeldBack } from './held-back.js';

export interface TickOptions extends TickSettings {
  /** Most tasks one transaction claims. */
  batchSize: number;
  /** What somebody is to be told of. */
  alertsOn?: readonly AlertKind[];
}

export interface TickReport {
  tasks: number;
  runs: number;
}

/** The first batch is that part of a full one. */
const FIRST_PART = 5;
/** Transactions under way at once when many tasks are due. */
const LANES = 2;
/** Most runs one scheduler admits ahead of one second: should it be killed before that comes, they are left to rescue. */
const MOST_AHEAD = 8_000;
const SECOND_MS = 1_000;

type WrittenBatch = BatchDecision & { replaced: UnfinishedRun[] };
/** `isFull`: there may be more. */
type CommittedBatch = WrittenBatch & { isFull: boolean };
/** Locks tasks, and says which of them are to be decided. */
type Claim = (sql: Sql) => Promise<{ claimed: readonly DueTask[]; tasks: readonly DueTask[] }>;

/**
 * Turns due seconds into runs. Claim, run rows and counters are one transaction for a whole batch of tasks, so a schedule
 * never moves on without its runs; the queue hears of them after the commit.
 */
export class Tick {
  private readonly heldBack = new HeldBack();
  /** How many were admitted ahead, by their second. */
  private readonly ahead = new Map<number, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly signals: Pick<Signals, 'send'>,
    private readonly options: TickOptions,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
    private readonly tracing: Tracing | null = null,
  ) {}

  /** Everything that is due now: a small batch first, so that its calls are under way while a herd's others are admitted. */
  async runOnce(): Promise<TickReport> {
    const { batchSize } = this.options;
    const report = { tasks: 0, runs: 0 };
    // How late a tick is, is how late we came for it: the last of a herd is not missed because the first took their time.
    const now = this.clock.now();
    if (!(await this.admitBatch(now, Math.ceil(batchSize / FIRST_PART), report))) return report;
    // While the database writes one lane's batch, the other's is decided.
    const lanes = Array.from({ length: LANES }, () => this.admitAll(now, Math.ceil(batchSize / LANES), report));
    for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
    return report;
  }

  /**
   * What is due at `second`, a moment before it comes: the rows are there then, and nothing is left to do but to tell the queue. Only
   * tasks whose verdict is clear; the others are decided when their second has come. What `announce` is to tell the queue
   * then is added to `runs`, batch by batch: it counts, even if the next batch fails.
   */
  async admitAhead(second: number, runs: NewRun[]): Promise<void> {
    const size = Math.ceil(this.options.batchSize / LANES);
    for (const past of this.ahead.keys()) if (past < this.clock.now()) this.ahead.delete(past);
    const lane = async () => {
      while (this.clock.now() < second && this.aheadOf(second) < MOST_AHEAD) {
        const batch = await this.commitAhead(second, size);
        this.ahead.set(second, this.aheadOf(second) + batch.runs.length);
        runs.push(...dispatchable(batch));
        if (!batch.isFull) return;
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, lane));
    for (const one of lanes) if (one.status === 'rejected') throw one.reason;
  }

  /** The second after `from`, and not after `to`, in which more tasks are due than one batch holds; null if there is none. */
  async crowdedSecond(from: number, to: number): Promise<number | null> {
    const at = await nextCrowd(this.database, from, to, this.options.batchSize);
    return at === null ? null : Math.ceil(at / SECOND_MS) * SECOND_MS;
  }

  private aheadOf(second: number): number {
    return this.ahead.get(second) ?? 0;
  }

  /** Their second is about to come. */
  announce(runs: readonly NewRun[]): Promise<void> {
    return this.enqueue.add(runs);
  }

  private async admitAll(now: number, size: number, report: TickReport): Promise<void> {
    while (await this.admitBatch(now, size, report));
  }

  private async commitAhead(second: number, size: number): Promise<CommittedBatch> {
    const began = performance.now();
    const batch = await this.commit(second, size, false, async (sql) => {
      const after = Math.max(this.clock.now(), second - SECOND_MS);
      const claimed = await claimTasksAhead(sql, after, second, size);
      return { claimed, tasks: claimed };
    });
    this.metrics.ticked(batch.advances.length, batch.runs, performance.now() - began);
    return batch;
  }

  /** Whether something due was left behind because another transaction held its row. */
  leftBehind(): Promise<boolean> {
    const now = this.clock.now();
    return hasDueTasks(this.database, now, this.heldBack.at(now));
  }

  /** Says whether there may be more. */
  private async admitBatch(now: number, size: number, report: TickReport): Promise<boolean> {
    const start = this.clock.now();
    const batch = await this.commitBatch(now, size, false).catch((error: unknown) => {
      // A second that has its run already: rare enough that only then it is worth asking which.
      if (faultOf(error) === 'duplicate') return this.commitBatch(now, size, true);
      throw error;
    });
    report.tasks += batch.advances.length;
    report.runs += batch.runs.length;
    const committedAt = this.clock.now();
    this.metrics.ticked(batch.advances.length, batch.runs, committedAt - start);
    for (const { task, reason } of batch.unreadable) {
      this.log.error({ task_id: String(task.id), reason }, 'the schedule of a task cannot be read: it will not fire');
    }
    this.signals.send({ cancel: executionsOf(batch.replaced) });
    this.metrics.canceled(batch.replaced, 'REPLACED');
    await this.enqueue.add(dispatchable(batch));
    this.tracing?.ticked('tick', batch.runs, { start, end: this.clock.now() }, committedAt);
    return batch.isFull;
  }

  private commitBatch(now: number, size: number, checkExisting: boolean): Promise<CommittedBatch> {
    const claim = async (sql: Sql) => {
      const claimed = await claimDueTasks(sql, now, size, this.heldBack.at(now));
      return { claimed, tasks: this.heldBack.without(claimed, now) };
    };
    return this.commit(now, size, checkExisting, claim);
  }

  private commit(now: number, size: number, checkExisting: boolean, claim: Claim): Promise<CommittedBatch> {
    return inSqlTransaction(this.database, async (sql) => {
      const { claimed, tasks } = await claim(sql);
      // What is written down is of this moment: others may have written since the pass began.
      const at = this.clock.now();
      const input = { now, at, settings: this.options, newTraceId };
      let decided = decideBatch(tasks, input);
      if (checkExisting) {
        const existing = await existingRuns(this.database, idsOf(decided));
        decided = decideBatch(tasks, { ...input, existing });
      }
      const batch = await write(sql, decided, at, this.options.alertsOn ?? []);
      // Before the commit: from then on the other lane gets to see them.
      this.heldBack.add(batch.heldBack);
      return { ...batch, isFull: claimed.length === size };
    });
  }
}

async function write(
  sql: Sql,
  batch: BatchDecision,
  now: number,
  alertsOn: readonly AlertKind[],
): Promise<WrittenBatch> {
  if (batch.advances.length === 0) return { ...batch, replaced: [] };
  await insertRuns(sql, batch.runs);
  const replaced = await replaceRuns(sql, batch.replacements, now);
  await advanceTasks(sql, batch.advances);
  await rememberReplaced(sql, replaced, now);
  if (alertsOn.length > 0) await writeAlerts(sql, alertedIn(batch, alertsOn, now));
  return { ...batch, replaced };
}

const idsOf = (batch: BatchDecision) => batch.runs.map((run) => run.id);

/** Seconds that got no run, and that nobody meant to be without. Rescue tells the queue of these alerts: they are old news already. */
function alertedIn({ runs }: BatchDecision, alertsOn: readonly AlertKind[], at: number) {
  return runs.flatMap(({ id: runId, taskId, tenantId, trigger, status, skipReason }) => {
    const alert = skipReason === 'MISSED' ? 'missed' : 'lateness';
    if (skipReason !== 'MISSED' && (skipReason !== 'LATE' || trigger !== 'CRON')) return [];
    return alertsOn.includes(alert) ? [{ alert, runId, taskId, tenantId, status, attempt: 0, at } as const] : [];
  });
}
