import { type Clock, type Database, type Execution, keepLeases } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { RunPool } from './run-pool.js';

export interface LeaseOptions {
  leaseMs: number;
}

/** Rows that somebody held are looked at again: whoever it was, they may be done with them. */
const HELD_AGAIN_MS = 1_000;
const EARLY_MS = 50;
/** How often leases are looked at that nobody has prolonged for as long as they last. */
const WATCH_MS = 100;

/**
 * Keeps the leases of long calls, three times per lease; most calls are over before the first of them. A run that is no
 * longer ours is aborted; so is, when the database is out of reach, what nobody has prolonged for a whole lease, because by then
 * others may be executing it. Not so a run whose row somebody holds: as long as they do, nobody else can have it.
 */
export class LeaseKeeper extends Loop {
  private held: readonly Execution[] = [];
  private nextRoundAt = 0;
  private watchdog: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly pool: Pick<RunPool, 'held' | 'abort' | 'disown'>,
    private readonly lease: LeaseOptions,
    log: Logger,
  ) {
    super({ name: 'keeping leases', delay: () => this.delayMs, work: () => this.keep() }, log);
  }

  override start(): void {
    this.watch(this.lease.leaseMs);
    super.start();
  }

  override async stop(): Promise<void> {
    await super.stop();
    clearTimeout(this.watchdog);
  }

  /** A round that took long is not made up for by a long pause. */
  private get delayMs(): number {
    const untilRound = Math.max(0, this.nextRoundAt - performance.now());
    return this.held.length > 0 ? Math.min(HELD_AGAIN_MS, untilRound) : untilRound;
  }

  private keep(): Promise<void> {
    // A timer may go off a little early.
    const isRound = performance.now() >= this.nextRoundAt - EARLY_MS;
    return isRound ? this.keepAll() : this.keepHeld();
  }

  private async keepAll(): Promise<void> {
    this.nextRoundAt = performance.now() + this.lease.leaseMs / 3;
    // What is kept counts from here: the answer may come much later.
    const askedAt = performance.now();
    await this.prolong(this.pool.held());
    this.watch(this.lease.leaseMs - (performance.now() - askedAt));
  }

  private async keepHeld(): Promise<void> {
    const ours = new Set(this.pool.held().map(({ execId }) => execId));
    await this.prolong(this.held.filter(({ execId }) => ours.has(execId)));
  }

  private async prolong(executions: readonly Execution[]): Promise<void> {
    this.held = [];
    if (executions.length === 0) return;
    const { lost, held } = await keepLeases(this.database, executions, this.clock.now() + this.lease.leaseMs);
    this.held = held;
    this.pool.disown(lost);
  }

  /**
   * A timer of its own: a database that has gone silent may keep a statement waiting for longer than the lease. What was claimed after it
   * had last been reached has a lease of its own, which counts from then.
   */
  private watch(afterMs: number): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(
      () => {
        this.pool.abort(this.pool.held(this.lease.leaseMs), 'the database was out of reach for a whole lease');
        this.watch(WATCH_MS);
      },
      Math.max(0, afterMs),
    ).unref();
  }
}
