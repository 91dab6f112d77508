import {
  type Clock,
  type Database,
  isLockWait,
  type OverdueRun,
  offerLostRuns,
  type Settlement,
  type SettleReport,
  settleRuns,
  Sql,
  takeOverdueRuns,
  wakeLater,
} from '#database';
import { type AlertRules, LOST_AFTER_MS, type RunTrigger } from '#domain';
import type { Logger } from 'pino';
import { expiredLeases } from '../agent/expired-leases.js';
import type { EnqueueDeadlines } from '../callback/enqueue-deadlines.js';
import { expirySettlements } from '../callback/expire-callbacks.js';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { EnqueueNotices } from '../notify/enqueue-notices.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import { boundLogs } from '../settle/bound-logs.js';
import { skipLate } from '../settle/skip-late.js';
import { lossReasons, nodeLost } from './lost-nodes.js';

/** Most alarms one look goes through, and most runs one pass acts on. */
const MOST = 1_000;
/** How long a run that waits for an agent is left in peace: it is where agents look, and there may be very many. */
const PEACE_MS = 600_000;

export interface RescueReport {
  enqueued: number;
  nodeLost: number;
  /** Too late to start: closed instead of enqueued. */
  late: number;
  /** Their callback did not come in time. */
  expired: number;
  /** Their agent fell silent. */
  leasesExpired: number;
}

export interface RescueOptions {
  alerts: AlertRules | null;
  /** Most attempts kept of one run; 0: all. */
  attemptsPerRun: number;
}

/** Where what rescue has found is told of. */
export interface RescueQueues {
  enqueue: EnqueueRuns;
  notices: Pick<EnqueueNotices, 'add'>;
  deadlines: Pick<EnqueueDeadlines, 'add'>;
}

/**
 * Looks after runs nobody has moved in time: those the queue has lost go back into it, those whose worker is gone are
 * closed or tried again. Bounded, and safe to run anywhere, twice, at once: every step is guarded.
 */
export class Rescue {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly tell: RescueQueues,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
    private readonly options: RescueOptions = { alerts: null, attemptsPerRun: 0 },
  ) {}

  async runOnce(): Promise<RescueReport> {
    const report = { enqueued: 0, nodeLost: 0, late: 0, expired: 0, leasesExpired: 0 };
    for (;;) {
      const now = this.clock.now();
      const { alarms, overdue, putOff } = await takeOverdueRuns(this.database, now, now + LOST_AFTER_MS, MOST);
      await this.tell.deadlines.add(putOff);
      await this.lookAfter(overdue, now, report);
      // Most alarms belong to runs that are long closed: go on until they are through, but act on a bounded number.
      if (alarms < MOST || actedOn(report) >= MOST) break;
    }
    // A callback that does not come in time is its sender's doing: nothing had to be rescued.
    if (actedOn(report) > 0)
      this.log[actedOn(report) > report.expired ? 'warn' : 'info'](report, 'rescued overdue runs');
    return report;
  }

  private async lookAfter(overdue: OverdueRun[], now: number, report: RescueReport): Promise<void> {
    const waiting = overdue.filter((run) => run.status === 'SCHEDULED' || run.status === 'RETRYING');
    const late = await this.closeLate(waiting, now);
    const [forAgents, toEnqueue] = byExecutor(waiting.filter((run) => !late.has(run.id)));
    const [ofAgents, ofLostNodes] = byExecutor(
      overdue.filter((run) => run.status === 'RUNNING' && run.execId !== null),
    );
    await this.tell.enqueue.add(toEnqueue.map((run) => ({ ...run, dueAt: now })));
    const offered = await this.offerAgain(forAgents, now);
    const lost = await this.closeLost(ofLostNodes, now);
    const expired = await this.closeExpired(ofAgents, now);
    report.expired += await this.expire(
      overdue.filter((run) => run.status === 'WAITING_CALLBACK'),
      now,
    );
    report.enqueued += toEnqueue.length + offered;
    report.nodeLost += lost;
    report.late += late.size;
    report.leasesExpired += expired;
    this.metrics.rescued('enqueued', 'overdue', toEnqueue.length + offered);
    this.metrics.rescued('late', 'max_lateness', late.size);
  }

  private async closeLost(runs: OverdueRun[], now: number): Promise<number> {
    if (runs.length === 0) return 0;
    const closed = await this.close(
      runs.map((run) => nodeLost(run, now)),
      now,
    );
    const reasons = await lossReasons(
      this.database,
      runs.filter((run) => closed.has(run.id)),
    );
    for (const [reason, count] of reasons) this.metrics.rescued('node_lost', reason, count);
    return closed.size;
  }

  private closeLate(waiting: OverdueRun[], now: number): Promise<ReadonlyMap<string, RunTrigger>> {
    const { database, log, metrics } = this;
    const { alerts } = this.options;
    const { enqueue } = this.tell;
    const unstarted = waiting.filter((run) => run.attempt === 0).map((run) => run.id);
    return skipLate({ database, enqueue, log, metrics, alerts }, unstarted, now);
  }

  /** Closes those whose callback did not come in time, or has them tried again; a sign of life in this moment saves them. */
  private async expire(waiting: OverdueRun[], now: number): Promise<number> {
    const settlements = await expirySettlements(this.database, waiting, now, Math.random);
    if (settlements.length === 0) return 0;
    const closed = await this.close(settlements, now);
    const silent = settlements.filter((one) => closed.has(one.runId) && one.errorCode === 'HEARTBEAT_TIMEOUT').length;
    this.metrics.rescued('callback_expired', 'heartbeat', silent);
    this.metrics.rescued('callback_expired', 'deadline', closed.size - silent);
    return closed.size;
  }

  /** Gives the runs that were closed by this. */
  private async close(settlements: Settlement[], now: number): Promise<Set<string>> {
    const { settled, released, notices } = await this.settleOrSeparate(settlements, now);
    this.metrics.closed(settlements, settled);
    const again = settlements.flatMap(({ runId: id, priority, executor, traceId, dueAgainAt: dueAt }) =>
      dueAt !== null && settled.has(id) ? [{ id, priority, executor, traceId, dueAt }] : [],
    );
    await this.tell.enqueue.add([...released, ...again]);
    await this.tell.notices.add(notices);
    const { attemptsPerRun: kept } = this.options;
    await boundLogs({ database: this.database, log: this.log, kept }, settlements, settled);
    return settled;
  }

  /** Runs wait where agents look for them; what got lost there is put there again. Gives their number. */
  private async offerAgain(runs: OverdueRun[], now: number): Promise<number> {
    if (runs.length === 0) return 0;
    const offered = await offerLostRuns(
      Sql.on(this.database),
      runs.map((run) => ({ ...run, dueAt: now })),
    );
    const patient = runs.filter((run) => !run.hasStartLimit).map((run) => run.id);
    if (patient.length > 0) await wakeLater(this.database, patient, now + PEACE_MS);
    return offered;
  }

  private async closeExpired(runs: OverdueRun[], now: number): Promise<number> {
    if (runs.length === 0) return 0;
    const settlements = await expiredLeases(this.database, runs, now, Math.random);
    const closed = await this.close(settlements, now);
    const slow = settlements.filter((one) => closed.has(one.runId) && one.outcome === 'TIMEOUT').length;
    this.metrics.agentLeaseExpired(closed.size);
    this.metrics.rescued('agent_lost', 'deadline', slow);
    this.metrics.rescued('agent_lost', 'lease_expired', closed.size - slow);
    return closed.size;
  }

  /** One run that cannot be closed must not keep the others from it. */
  private async settleOrSeparate(settlements: Settlement[], now: number): Promise<SettleReport> {
    try {
      return await settleRuns(this.database, settlements, now, this.options.alerts);
    } catch (error) {
      const parts = isLockWait(error) ? byTask(settlements) : settlements.map((one) => [one]);
      if (parts.length > 1) return this.separate(parts, now);
      const { runId, taskId } = settlements[0];
      const about = { err: error, run_id: runId, task_id: String(taskId), runs: settlements.length };
      // Whoever holds a task holds it for each of its runs: they are looked at again in a while.
      if (isLockWait(error)) this.log.warn(about, 'a task is locked: its lost runs wait');
      else this.log.error(about, 'a lost run cannot be closed');
      return { settled: new Set(), released: [], notices: [] };
    }
  }

  private async separate(parts: Settlement[][], now: number): Promise<SettleReport> {
    const reports = [];
    for (const part of parts) reports.push(await this.settleOrSeparate(part, now));
    return {
      settled: new Set(reports.flatMap((report) => [...report.settled])),
      released: reports.flatMap((report) => report.released),
      notices: reports.flatMap((report) => report.notices),
    };
  }
}

function byTask(settlements: readonly Settlement[]): Settlement[][] {
  const tasks = new Map<bigint, Settlement[]>();
  for (const one of settlements) {
    const others = tasks.get(one.taskId);
    if (others === undefined) tasks.set(one.taskId, [one]);
    else others.push(one);
  }
  return [...tasks.values()];
}

const actedOn = ({ enqueued, nodeLost, late, expired, leasesExpired }: RescueReport): number =>
  enqueued + nodeLost + late + expired + leasesExpired;

/** Those of agents, and the others. */
function byExecutor(runs: OverdueRun[]): [OverdueRun[], OverdueRun[]] {
  return [runs.filter((run) => run.executor === 'AGENT'), runs.filter((run) => run.executor !== 'AGENT')];
}
