import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#database';
import type { Rescue } from '../rescue/rescue.js';

/** A host whose clock is ahead of the database's by more than this gets nothing to wait for: rescue comes round. */
const MOST_EARLY_MS = 2_000;

/** Looks at deadlines the moment they have passed, by the database's clock. */
export class WatchDeadlines {
  constructor(
    private readonly clock: Clock,
    private readonly rescue: Pick<Rescue, 'runOnce'>,
  ) {}

  async look(second: number): Promise<void> {
    const early = second * 1000 - this.clock.now();
    if (early > 0) await pause(Math.min(early, MOST_EARLY_MS) + 1);
    await this.rescue.runOnce();
  }
}
