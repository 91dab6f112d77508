import { type Clock, type Database, keepLeases } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { RunPool } from './run-pool.js';

export interface LeaseOptions {
  leaseMs: number;
}

/**
 * Keeps the leases of long calls, three times per lease; most calls are over before the first of them. A run that is no
 * longer ours is aborted; so is everything when the database has not been reached for a whole lease, because by then
 * others may be executing it.
 */
export class LeaseKeeper extends Loop {
  private reachedAt = performance.now();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly pool: RunPool,
    private readonly lease: LeaseOptions,
    log: Logger,
  ) {
    super({ name: 'keeping leases', delay: () => lease.leaseMs / 3, work: () => this.keep() }, log);
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
      const lost = held.length === 0 ? [] : await keepLeases(this.database, held, until);
      this.reachedAt = askedAt;
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
