import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { RescueNotices } from '../notify/rescue-notices.js';
import type { Rescue } from './rescue.js';
import type { RestoreQueue } from './restore-queue.js';

export interface RescueLoopOptions {
  intervalMs: number;
}

/**
 * Rescue on a timer, spread a little so that many processes do not come at once. What the queue has lost before we came is
 * told at once: a queue that is new, or was emptied, knows nothing of what is waiting.
 */
export class RescueLoop extends Loop {
  constructor(
    private readonly restore: RestoreQueue,
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

  override start(): void {
    // Should it fail, the first round comes soon.
    void this.restore.runOnce().catch(() => undefined);
    super.start();
  }
}
