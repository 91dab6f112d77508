import { type Database, lostExecutions } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { RunPool } from './run-pool.js';

/** Together less than a second: the youngest call that is not asked about now is asked about in the next round. */
const EVERY_MS = 400;
const OLDER_THAN_MS = 300;

/**
 * Asks the database which of the calls that take longer than most are no longer to be carried out, all in one statement, and breaks
 * them off. Usually a signal has done so before; this is for the signals that were lost.
 */
export class CancelWatch extends Loop {
  constructor(
    private readonly database: Database,
    private readonly pool: Pick<RunPool, 'held' | 'disown'>,
    log: Logger,
  ) {
    super({ name: 'watching for cancelled runs', delay: () => EVERY_MS, work: () => this.look() }, log);
  }

  private async look(): Promise<void> {
    const held = this.pool.held(OLDER_THAN_MS);
    if (held.length > 0) this.pool.disown(await lostExecutions(this.database, held));
  }
}
