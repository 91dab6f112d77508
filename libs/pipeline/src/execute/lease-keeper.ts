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
/** How often it is looked for leases that are about to be over, and how long before. */
const WATCH_MS = 100;

/**
 * Keeps the leases of long calls, three times per lease; most calls are over before the first of them. A run that is no
 * longer ours is aborted; so is one whose lease is about to be over, because the database is out of reach: from then on others may
 * be executing it. Not so a run whose row somebody holds: as long as they do, nobody else can have it.
 */
export class LeaseKeeper extends Loop {
  private held: readonly Execution[] = [];
  private nextRoundAt = 0;
  private watchdog: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly pool: Pick<RunPool, 'held' | 'leasesOlderThan' | 'prolong' | 'abort' | 'disown'>,
    private readonly lease: LeaseOptions,
    log: Logger,
  ) {
    super({ name: 'keeping leases', delay: () => this.delayMs, work: () => this.keep() }, log);
  }

  override start(): void {
    // A timer of its own: a database that has gone silent may keep a statement waiting for longer than the lease.
    this.watchdog = setInterval(() => this.breakOff(), WATCH_MS).unref();
    super.start();
  }

  override async stop(): Promise<void> {
    await super.stop();
    clearInterval(this.watchdog);
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
    await this.prolong(this.pool.held());
  }

  private async keepHeld(): Promise<void> {
    const ours = new Set(this.pool.held().map(({ execId }) => execId));
    await this.prolong(this.held.filter(({ execId }) => ours.has(execId)));
  }

  private async prolong(executions: readonly Execution[]): Promise<void> {
    this.held = [];
    if (executions.length === 0) return;
    // What is kept counts from here: the answer may come much later.
    const askedAt = performance.now();
    const { lost, held } = await keepLeases(this.database, executions, this.clock.now() + this.lease.leaseMs);
    this.held = held;
    this.pool.disown(lost);
    this.pool.prolong(executions, askedAt);
  }

  private breakOff(): void {
    const over = this.pool.leasesOlderThan(this.lease.leaseMs - WATCH_MS);
    this.pool.abort(over, 'the database was out of reach for a whole lease');
  }
}
