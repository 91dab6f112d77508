import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { RescueNotices } from '../notify/rescue-notices.js';
import type { Rescue } from './rescue.js';
import type { RestoreQueue } from './restore-queue.js';

export interface RescueLoopOptions {
  intervalMs: number;
}

/** Rescue on a timer, spread a little so that many processes do not come at once. */
export class RescueLoop extends Loop {
  constructor(
    restore: RestoreQueue,
    rescue: Rescue,
    notices: RescueNotices,
    { intervalMs }: RescueLoopOptions,
    log: Logger,
  ) {
    const delay = () => intervalMs * (0.8 + 0.4 * Math.random());
    const work = async () => {
      await restore
        .runOnce()
        .finally(() => rescue.runOnce())
        .finally(() => notices.runOnce());
    };
    super({ name: 'rescue', delay, work }, log);
  }
}
