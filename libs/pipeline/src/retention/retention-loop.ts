import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import type { Retention } from './retention.js';

/** While something is left, passes follow one another, each with a moment for others to take over. */
const BEHIND_MS = 1_000;

/** Retention on a timer, spread a little so that many processes do not come at once. */
export class RetentionLoop extends Loop {
  constructor(
    private readonly retention: Retention,
    { intervalMs }: { intervalMs: number },
    log: Logger,
  ) {
    let isBehind = false;
    const delay = () => (isBehind ? BEHIND_MS : intervalMs) * (0.8 + 0.4 * Math.random());
    const work = async () => {
      isBehind = (await retention.runOnce())?.isBehind ?? false;
    };
    super({ name: 'the retention', delay, work }, log);
  }

  /** Does not wait for a whole pass. */
  override stop(): Promise<void> {
    this.retention.stop();
    return super.stop();
  }
}
