import { setTimeout as pause } from 'node:timers/promises';
import {
  type ClaimedRun,
  ClaimInDoubt,
  claimRuns,
  type Clock,
  type Database,
  type Execution as Held,
  type Settlement,
} from '#database';
import { mostClaimed, patienceFor } from '#domain';
import type { Logger } from 'pino';
import { Gather } from '../gather.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { SettleGroup } from '../settle/settle-group.js';
import { settlementOf } from '../settle/settlement-of.js';
import type { Tracing } from '../trace/tracing.js';
import type { DefinitionCache } from './definition-cache.js';
import type { Execution } from './execution.js';
import type { HandOn } from './hand-on.js';
import type { Host, PickedRun } from './host.js';
import { type HostLineOptions, HostLines } from './host-lines.js';
import { type LiveExecution, LiveExecutions } from './live-executions.js';
import { type ReadyRun, ReadyRuns } from './ready-runs.js';
import type { UncalledRun } from './uncalled-runs.js';
import { type LeftOver, OfferedJob } from './waiting-run.js';

const LOAD_AGAIN_MS = 500;
/** How often those who wait are looked at when nothing else happens: tokens come back, patience ends. */
const LOOK_AGAIN_MS = 50;
/** Slots that come free one by one are filled together: a claim costs about the same for one run as for ten. */
const GATHER_MS = 2;
const GATHER_SHARE = 3;
/** How much the newest call counts in how long calls take. */
const NEWEST = 1 / 16;
/** Results that wait to be written down, beside which calls still go out: enough for two groups on their way and two that gather. */
const MOST_UNSETTLED = 2_000;

export interface RunPoolOptions {
  node: string;
  /** Run slots: calls in flight at once. */
  concurrency: number;
  leaseMs: number;
  hosts: HostLineOptions;
  tracing?: Tracing | null;
}

/**
 * The worker's slots. Dispatches offer runs; whenever slots are free the pool claims as many as fit, of all that wait, in one
 * statement, and starts them; of hosts that answer at once some more, which start as slots come free. A slot is free again
 * when its call is over; the result settles on its own.
 */
export class RunPool {
  private readonly lines: HostLines;
  private readonly ready: ReadyRuns;
  private readonly live: LiveExecutions;
  private calling = 0;
  private settling = 0;
  private callMs = 0;
  private handing = 0;
  private claiming = false;
  private stopped = false;
  private lastFreeAt = performance.now();
  private nextLook: NodeJS.Timeout | undefined;
  private readonly freed: Gather;
  private idle: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly definitions: DefinitionCache,
    private readonly execution: Execution,
    private readonly settle: SettleGroup,
    private readonly handOn: HandOn,
    private readonly options: RunPoolOptions,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
  ) {
    this.live = new LiveExecutions(log);
    this.lines = new HostLines(options.hosts);
    this.ready = new ReadyRuns(options.hosts.rules);
    const enough = Math.ceil(options.concurrency / GATHER_SHARE);
    this.freed = new Gather({ enough, waitMs: GATHER_MS }, () => this.claimMore());
    metrics.watchSlots(options.concurrency, () => this.calling);
  }

  /**
   * Resolves when the dispatch is nothing to wait for any more: each of its runs is claimed by us or by somebody else, waits here for
   * its host, or is back in the queue.
   */
  offer(runs: readonly string[], priority: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const job = new OfferedJob(runs.length, resolve, reject);
      const since = performance.now();
      for (const id of runs) this.lines.join(this.definitions.hostOf(id), { id, priority, since, job });
      if (this.stopped) this.stop();
      else this.claimMore();
    });
  }

  /** Starts nothing more; what waits is handed on. */
  stop(): void {
    this.stopped = true;
    this.startReady();
    this.leave([{ runs: this.lines.takeAll(), afterMs: 0, reason: 'slots' }]);
  }

  /** Starts runs again that are offered from now on. */
  resume(): void {
    this.stopped = false;
  }

  /** What this worker is executing now, or has been for that long: whose leases are to be kept. */
  held(olderThanMs = 0): Held[] {
    return this.live.list(olderThanMs);
  }

  /** Of these, those whose leases were asked for at least that long ago. */
  leasesOlderThan(ms: number): Held[] {
    return this.live.listLeases(ms);
  }

  /** Their leases count from then. */
  prolong(executions: readonly Held[], askedAt: number): void {
    this.live.prolong(executions, askedAt);
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

  /** Whether nothing is being executed, settled or handed on. */
  get isIdle(): boolean {
    return this.live.size === 0 && !this.claiming && this.handing === 0;
  }

  async drained(): Promise<void> {
    while (!this.isIdle) await new Promise<void>((wake) => this.idle.push(wake));
  }

  private get freeSlots(): number {
    return Math.min(this.options.concurrency - this.calling, this.room);
  }

  /** A database that settles slowly must not let results pile up without bound. */
  private get room(): number {
    return this.options.concurrency + MOST_UNSETTLED - this.calling - this.ready.size - this.settling;
  }

  /** So many more may be claimed without a slot: many at once, when half of them have been called. */
  private get ahead(): number {
    if (this.hasEnoughReady) return 0;
    return Math.min(this.mostReady - this.ready.size, this.room - this.freeSlots);
  }

  private claimMore(): void {
    if (this.lines.isEmpty) return;
    this.lookAgain();
    if (this.claiming) return;
    const now = performance.now();
    if (this.freeSlots > 0) this.lastFreeAt = now;
    const picked = this.lines.pick(this.freeSlots, this.ahead, now);
    if (picked.length === 0) return this.review(this.freeSlots, now);
    this.claiming = true;
    this.freed.clear();
    void this.claim(picked).finally(() => {
      this.claiming = false;
      this.wakeIdle();
      if (!this.freed.isWaiting) this.claimMore();
    });
  }

  private get mostReady(): number {
    return mostClaimed(this.options.concurrency, this.callMs);
  }

  private get hasEnoughReady(): boolean {
    return this.ready.size > this.mostReady / 2;
  }

  /** Patience does not wait for a claim that takes long. */
  private lookAgain(): void {
    this.nextLook ??= setTimeout(() => {
      this.nextLook = undefined;
      this.giveBack(this.ready.takeLate());
      if (this.ready.size > 0) this.lookAgain();
      if (this.claiming) this.review(0, performance.now());
      this.claimMore();
    }, LOOK_AGAIN_MS).unref();
  }

  private review(free: number, now: number): void {
    this.leave(this.lines.review(free, now, patienceFor(now - this.lastFreeAt)));
  }

  private leave(left: readonly LeftOver[]): void {
    for (const some of left) this.hand(this.handOn.give(some));
  }

  private hand(given: Promise<void>): void {
    this.handing++;
    void given.finally(() => {
      this.handing--;
      this.wakeIdle();
    });
  }

  private async claim(picked: readonly PickedRun[]): Promise<void> {
    const ids = picked.map((one) => one.id);
    const { node, leaseMs } = this.options;
    const askedAt = performance.now();
    try {
      const runs = await claimRuns(this.database, ids, { node, leaseMs, now: this.clock.now() });
      const claimed = this.hold(picked, runs, askedAt);
      await this.loadDefinitions(runs);
      for (const { live } of claimed) live.definition = this.definitions.get(live.run.taskId);
      this.ready.add(claimed);
      this.startReady();
      if (runs.length < ids.length) void this.settle.skipLate(without(ids, runs));
    } catch (error) {
      this.giveUp(picked, error as Error);
      return;
    }
    for (const { job } of picked) job?.release();
  }

  /** From the claim on a run is ours: its lease is kept. */
  private hold(picked: readonly PickedRun[], runs: readonly ClaimedRun[], askedAt: number): ReadyRun[] {
    const byId = new Map(runs.map((run) => [run.id, run]));
    const claimed: ReadyRun[] = [];
    for (const one of picked) {
      const run = byId.get(one.id);
      // The queue may have told us twice of the same run.
      if (run === undefined || !byId.delete(one.id)) {
        one.host.giveBack();
        continue;
      }
      claimed.push({ live: this.live.add(run, askedAt), picked: one });
    }
    return claimed;
  }

  private startReady(): void {
    if (this.stopped) return this.giveBack(this.ready.takeAll());
    const now = performance.now();
    for (let next = this.nextReady(now); next !== undefined; next = this.nextReady(now)) this.start(next, now);
    if (this.ready.size > 0) this.lookAgain();
  }

  private nextReady(now: number): ReadyRun | undefined {
    return this.ready.next(this.options.concurrency - this.calling, now);
  }

  /** They were claimed and have had no slot: they are anybody's again. What cannot be given back in time, rescue finds. */
  private giveBack(runs: readonly ReadyRun[]): void {
    if (runs.length === 0) return;
    const executions = runs.map(({ live }) => live.run);
    for (const { live, picked } of runs) {
      picked.host.giveBack();
      this.live.remove(live);
    }
    this.hand(this.handOn.giveBack(executions));
  }

  /** The claim failed: the queue's job fails with it, and rescue brings the runs, unless the database is back before. */
  private giveUp(picked: readonly PickedRun[], error: Error): void {
    for (const { host, job } of picked) {
      host.giveBack();
      job?.fail(error);
    }
    if (error instanceof ClaimInDoubt) this.hand(this.handOn.giveBackInDoubt(inDoubt(picked, error)));
    const parked = picked.filter(({ job }) => job === null).length;
    if (parked > 0)
      this.log.warn({ runs: parked, reason: error.message }, 'a claim failed: rescue will bring its runs');
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

  private start({ live, picked }: ReadyRun, now: number): void {
    picked.host.begin(now);
    this.calling++;
    void this.carryOut(live, picked.host, now);
    this.metrics.sent(live.run, this.clock.now());
  }

  private async carryOut(live: LiveExecution, host: Host, beganAt: number): Promise<void> {
    const { run, definition } = live;
    const finished = await this.execution.run(run, definition, live.abortable);
    const isOurs = live.end();
    this.ended(host, beganAt, performance.now());
    this.settling++;
    // Not all hosts' runs are claimed ahead: one that hurries is claimed while its slot is free, or it would never be.
    if (this.lines.highestPriority > this.ready.highestPriority) this.claimMore();
    this.startReady();
    if (!this.hasEnoughReady) this.freed.add(this.calling === 0 || this.ready.size > 0);
    this.options.tracing?.executed(run, finished);
    const settlement = settlementOf(finished, this.options.node, Math.random());
    const callsWait = !this.lines.isEmpty || this.ready.size > 0;
    const settled = await this.settle.add(settlement, this.calling === 0 && !callsWait, callsWait);
    if (isOurs && settled) this.tell(run, settlement);
    this.settling--;
    this.live.remove(live);
    this.wakeIdle();
    if (this.freeSlots === 1) this.claimMore();
  }

  private ended(host: Host, beganAt: number, now: number): void {
    host.end(beganAt, now);
    this.calling--;
    this.callMs += (now - beganAt - this.callMs) * NEWEST;
  }

  /** Success is everyday; anything else is a line an operator can grep for. */
  private tell(run: ClaimedRun, { status, httpStatus, errorCode, errorInfo, startedAt, finishedAt }: Settlement): void {
    if (status === 'SUCCESS' && !this.log.isLevelEnabled('debug')) return;
    const ids = { run_id: run.id, task_id: String(run.taskId), trace_id: run.traceId, attempt: run.attempt };
    const ms = Math.round(finishedAt - startedAt);
    if (status === 'SUCCESS') this.log.debug({ ...ids, http_status: httpStatus, ms }, 'run succeeded');
    else if (status === 'WAITING_CALLBACK') this.log.debug({ ...ids, http_status: httpStatus, ms }, 'run accepted');
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

function inDoubt(picked: readonly PickedRun[], { executions }: ClaimInDoubt): UncalledRun[] {
  const priorities = new Map(picked.map(({ id, priority }) => [id, priority]));
  return executions.map((one) => ({ ...one, priority: priorities.get(one.id) ?? 0 }));
}
