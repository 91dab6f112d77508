import { type Clock, type Database, keepLeases } from '#database';
import type { Logger } from 'pino';
import type { RunPool } from './run-pool.js';

export interface LeaseOptions {
  leaseMs: number;
}

/**
 * Keeps the leases of long calls, three times per lease; most calls are over before the first of them. A run that is no
 * longer ours is aborted; so is everything when the database has not been reached for a whole lease, because by then
 * others may be executing it.
 */
export class LeaseKeeper {
  private timer: NodeJS.Timeout | undefined;
  private reachedAt = performance.now();
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly pool: RunPool,
    private readonly options: LeaseOptions,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.working = this.runOnce();
    }, this.options.leaseMs / 3);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.working;
  }

  async runOnce(): Promise<void> {
    const held = this.pool.held();
    try {
      const lost =
        held.length === 0 ? [] : await keepLeases(this.database, held, this.clock.now() + this.options.leaseMs);
      this.reachedAt = performance.now();
      this.pool.abort(lost, 'the run was cancelled or taken over');
    } catch (error) {
      this.log.warn({ err: error, runs: held.length }, 'leases could not be kept');
      if (performance.now() - this.reachedAt < this.options.leaseMs) return;
      this.pool.abort(
        held.map(({ id }) => id),
        'the database was out of reach for a whole lease',
      );
    }
  }
}
