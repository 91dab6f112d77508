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

/**
 * Keeps the leases of long calls, three times per lease; most calls are over before the first of them. A run that is no
 * longer ours is aborted; so is everything when the database has not been reached for a whole lease, because by then
 * others may be executing it. Not so a run whose row somebody holds: as long as they do, nobody else can have it.
 */
export class LeaseKeeper extends Loop {
  private reachedAt = performance.now();
  private held: readonly Execution[] = [];
  private nextRoundAt = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly pool: RunPool,
    private readonly lease: LeaseOptions,
    log: Logger,
  ) {
    super({ name: 'keeping leases', delay: () => this.delayMs, work: () => this.keep() }, log);
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
    // A timer of its own: a database that has gone silent may keep the statement waiting for longer than the lease.
    const left = this.lease.leaseMs - (performance.now() - this.reachedAt);
    const giveUp = setTimeout(() => this.giveUp(), Math.max(0, left));
    // What is kept counts from here: the answer may come much later.
    const askedAt = performance.now();
    try {
      await this.prolong(this.pool.held());
      this.reachedAt = askedAt;
    } catch (error) {
      if (performance.now() - this.reachedAt >= this.lease.leaseMs) this.giveUp();
      throw error;
    } finally {
      clearTimeout(giveUp);
    }
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

  private giveUp(): void {
    this.pool.abort(this.pool.held(), 'the database was out of reach for a whole lease');
  }
}
