import { type Database, lostExecutions } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { RunPool } from './run-pool.js';

const EVERY_MS = 1_000;

/**
 * Asks the database once a second which of the longer calls are no longer to be carried out, and breaks them off. Usually
 * a signal has done so before; this is for the signals that were lost.
 */
export class CancelWatch extends Loop {
  constructor(
    private readonly database: Database,
    private readonly pool: RunPool,
    log: Logger,
  ) {
    super({ name: 'watching for cancelled runs', delay: () => EVERY_MS, work: () => this.look() }, log);
  }

  private async look(): Promise<void> {
    const held = this.pool.held(EVERY_MS);
    if (held.length > 0) this.pool.disown(await lostExecutions(this.database, held));
  }
}
