import { setTimeout as pause } from 'node:timers/promises';
import {
  type ClaimedRun,
  claimRuns,
  type Clock,
  type Database,
  type Execution as Held,
  type Settlement,
} from '#database';
import type { Logger } from 'pino';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { SettleGroup } from '../settle/settle-group.js';
import { settlementOf } from '../settle/settlement-of.js';
import type { DefinitionCache } from './definition-cache.js';
import type { Execution } from './execution.js';
import { LiveExecutions } from './live-executions.js';

const LOAD_AGAIN_MS = 500;

export interface RunPoolOptions {
  node: string;
  /** Run slots: calls in flight at once. */
  concurrency: number;
  leaseMs: number;
}

/** A dispatch some of whose runs are not claimed yet. */
interface Offer {
  runs: string[];
  taken: () => void;
  failed: (error: Error) => void;
}

/**
 * The worker's slots. Dispatches offer runs; whenever slots are free the pool claims as many as fit, of all offers, in one
 * statement, and starts them. A slot is free again when its call is over; the result settles on its own.
 */
export class RunPool {
  private offers: Offer[] = [];
  private readonly live: LiveExecutions;
  private calling = 0;
  private settling = 0;
  private claiming = false;
  private idle: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly definitions: DefinitionCache,
    private readonly execution: Execution,
    private readonly settle: SettleGroup,
    private readonly options: RunPoolOptions,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
  ) {
    this.live = new LiveExecutions(log);
    metrics.watchSlots(options.concurrency, () => this.calling);
  }

  /**
   * Resolves when every run of the dispatch is claimed by us or by somebody else. When `patience` is aborted first, it
   * resolves with the runs that have not been claimed, which the caller hands on.
   */
  offer(runs: readonly string[], patience: AbortSignal): Promise<string[]> {
    if (patience.aborted) return Promise.resolve([...runs]);
    return new Promise((resolve, reject) => {
      const offer: Offer = { runs: [...runs], taken: () => settle(), failed: (error) => settle(error) };
      const giveUp = () => settle();
      const settle = (error?: Error) => {
        patience.removeEventListener('abort', giveUp);
        this.offers = this.offers.filter((other) => other !== offer);
        if (error === undefined) resolve(offer.runs.splice(0));
        else reject(error);
      };
      patience.addEventListener('abort', giveUp, { once: true });
      this.offers.push(offer);
      this.claimMore();
    });
  }

  /** What this worker is executing now, or has been for that long: whose leases are to be kept. */
  held(olderThanMs = 0): Held[] {
    return this.live.list(olderThanMs);
  }

  /** Breaks off executions that cannot be finished here; they are settled as lost. */
  abort(executions: readonly Held[], reason: string): void {
    this.live.abort(executions, reason);
  }

  /** Breaks off executions that are no longer ours: cancelled, or taken over by somebody else. */
  disown(executions: readonly Held[]): void {
    this.live.disown(executions);
  }

  get busySlots(): number {
    return this.calling;
  }

  /** Resolves when nothing is being executed or settled. */
  async drained(): Promise<void> {
    while (this.live.size > 0 || this.claiming) await new Promise<void>((wake) => this.idle.push(wake));
  }

  private get freeSlots(): number {
    // A database that settles slowly must not let results pile up without bound.
    const { concurrency } = this.options;
    return Math.min(concurrency - this.calling, 2 * concurrency - this.calling - this.settling);
  }

  private claimMore(): void {
    if (this.claiming || this.offers.length === 0 || this.freeSlots <= 0) return;
    this.claiming = true;
    void this.claim().finally(() => {
      this.claiming = false;
      this.wakeIdle();
      this.claimMore();
    });
  }

  private async claim(): Promise<void> {
    const { ids, from } = this.takeFromOffers(this.freeSlots);
    try {
      const { node, leaseMs } = this.options;
      const runs = await claimRuns(this.database, ids, { node, leaseMs, now: this.clock.now() });
      for (const run of runs) this.hold(run);
      await this.loadDefinitions(runs);
      for (const run of runs) this.start(run);
      if (runs.length < ids.length) await this.settle.skipLate(without(ids, runs));
    } catch (error) {
      for (const offer of from) offer.failed(error as Error);
      return;
    }
    for (const offer of from) if (offer.runs.length === 0) offer.taken();
  }

  private takeFromOffers(most: number): { ids: string[]; from: Offer[] } {
    const ids: string[] = [];
    const from: Offer[] = [];
    for (const offer of this.offers) {
      if (ids.length >= most) break;
      ids.push(...offer.runs.splice(0, most - ids.length));
      from.push(offer);
    }
    return { ids, from };
  }

  /** From the claim on the run is ours: its slot is taken and its lease is kept. */
  private hold(run: ClaimedRun): void {
    this.live.add(run);
    this.calling++;
  }

  /** What is claimed is to be carried out, so this is tried until it works. */
  private async loadDefinitions(runs: readonly ClaimedRun[]): Promise<void> {
    for (;;) {
      try {
        return await this.definitions.load(runs);
      } catch (error) {
        this.log.warn({ err: error, runs: runs.length }, 'definitions cannot be read yet, trying again');
        await pause(LOAD_AGAIN_MS);
      }
    }
  }

  private start(run: ClaimedRun): void {
    void this.carryOut(run);
    this.metrics.sent(run, this.clock.now());
  }

  private async carryOut(run: ClaimedRun): Promise<void> {
    const finished = await this.execution.run(run, this.live.abortableOf(run));
    const isOurs = this.live.end(run);
    this.calling--;
    this.settling++;
    this.claimMore();
    const settlement = settlementOf(finished, this.options.node, Math.random());
    await this.settle.add(settlement);
    if (isOurs) this.tell(run, settlement);
    this.settling--;
    this.live.delete(run);
    this.wakeIdle();
    this.claimMore();
  }

  /** Success is everyday; anything else is a line an operator can grep for. */
  private tell(run: ClaimedRun, { status, httpStatus, errorCode, errorInfo, startedAt, finishedAt }: Settlement): void {
    const ids = { run_id: run.id, task_id: String(run.taskId), trace_id: run.traceId, attempt: run.attempt };
    const ms = Math.round(finishedAt - startedAt);
    if (status === 'SUCCESS') this.log.debug({ ...ids, http_status: httpStatus, ms }, 'run succeeded');
    else this.log.info({ ...ids, status, error_code: errorCode, reason: errorInfo, ms }, 'run did not succeed');
  }

  private wakeIdle(): void {
    for (const wake of this.idle.splice(0)) wake();
  }
}

function without(ids: readonly string[], runs: readonly ClaimedRun[]): string[] {
  const claimed = new Set(runs.map((run) => run.id));
  return ids.filter((id) => !claimed.has(id));
}
