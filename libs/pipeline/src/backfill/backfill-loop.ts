import type { Clock } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { Backfill } from './backfill.js';

const EVERY_MS = 1_000;

/** Once a second, half a second away from the tick. */
export class BackfillLoop extends Loop {
  constructor(backfill: Backfill, clock: Clock, log: Logger) {
    const delay = () => Math.ceil(EVERY_MS - ((clock.now() + EVERY_MS / 2) % EVERY_MS));
    super({ name: 'the backfill', delay, work: async () => void (await backfill.runOnce()) }, log);
  }
}
