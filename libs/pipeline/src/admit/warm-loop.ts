import type { Clock } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { WarmRuns } from './warm-runs.js';

/** Twice within the hot window, so that a round that comes late still finds its runs before they start. */
const EVERY_MS = 1_000;
/** Away from the tick, which comes at the full second, and from the backfill, which comes at the half. */
const OFFSET_MS = 250;

/** Once a second, however often the tick comes. */
export class WarmLoop extends Loop {
  constructor(warm: WarmRuns, clock: Clock, log: Logger) {
    const delay = () => Math.ceil(EVERY_MS - ((clock.now() + EVERY_MS - OFFSET_MS) % EVERY_MS));
    super({ name: 'admitting runs that start soon', delay, work: async () => void (await warm.runOnce()) }, log);
  }
}
