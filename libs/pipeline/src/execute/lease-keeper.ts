import { type Clock, type Database, keepLeases, type KeptLeases } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { RunPool } from './run-pool.js';

export interface LeaseOptions {
  leaseMs: number;
}

const NOTHING_HELD: KeptLeases = { lost: [], someHeld: false };
/** After a round in which somebody held a row: whoever it was, they may be done with it. */
const HELD_AGAIN_MS = 1_000;

/**
 * Keeps the leases of long calls, three times per lease; most calls are over before the first of them. A run that is no
 * longer ours is aborted; so is everything when the database has not been reached for a whole lease, because by then
 * others may be executing it.
 */
export class LeaseKeeper extends Loop {
  private reachedAt = performance.now();
  private someHeld = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly pool: RunPool,
    private readonly lease: LeaseOptions,
    log: Logger,
  ) {
    super({ name: 'keeping leases', delay: () => this.delayMs, work: () => this.keep() }, log);
  }

  private get delayMs(): number {
    const usualMs = this.lease.leaseMs / 3;
    return this.someHeld ? Math.min(HELD_AGAIN_MS, usualMs) : usualMs;
  }

  private async keep(): Promise<void> {
    const held = this.pool.held();
    // A timer of its own: a database that has gone silent may keep the statement waiting for longer than the lease.
    const left = this.lease.leaseMs - (performance.now() - this.reachedAt);
    const giveUp = setTimeout(() => this.giveUp(), Math.max(0, left));
    // What is kept counts from here: the answer may come much later.
    const askedAt = performance.now();
    try {
      const until = this.clock.now() + this.lease.leaseMs;
      const { lost, someHeld } = held.length === 0 ? NOTHING_HELD : await keepLeases(this.database, held, until);
      this.reachedAt = askedAt;
      this.someHeld = someHeld;
      this.pool.disown(lost);
    } catch (error) {
      if (performance.now() - this.reachedAt >= this.lease.leaseMs) this.giveUp();
      throw error;
    } finally {
      clearTimeout(giveUp);
    }
  }

  private giveUp(): void {
    this.pool.abort(this.pool.held(), 'the database was out of reach for a whole lease');
  }
}
