import type { Clock } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { WarmRuns } from './warm-runs.js';

/** A look into an index that is usually empty at its left end. What starts later than this after it was asked for is seen before it starts. */
const EVERY_MS = 250;
/** Away from the tick, which comes at the full second, and from the backfill, which comes at the half. */
const OFFSET_MS = 125;

/** Four times a second, however often the tick comes, and whenever a run starts that is to be admitted just then. */
export class WarmLoop extends Loop {
  constructor(warm: WarmRuns, clock: Clock, log: Logger) {
    let nextStart = Infinity;
    const delay = () => {
      const now = clock.now();
      const untilRound = EVERY_MS - ((now + EVERY_MS - OFFSET_MS) % EVERY_MS);
      return Math.ceil(Math.max(0, Math.min(untilRound, nextStart - now)));
    };
    const work = async () => {
      nextStart = Infinity;
      nextStart = await warm.runOnce();
    };
    super({ name: 'admitting runs that start soon', delay, work }, log);
  }
}
