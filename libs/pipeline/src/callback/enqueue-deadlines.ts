import type { Clock, WaitingRun } from '#database';
import { type DeadlineQueue, QueueAway } from '#queue';
import type { Logger } from 'pino';

/** Most seconds a process remembers to have told the queue of. */
const MOST = 10_000;

/**
 * Tells the queue at which seconds deadlines pass: one delayed job for each second, whoever waits in it and however many they are.
 * What it is not told of, or loses, rescue finds a little later by the alarms.
 */
export class EnqueueDeadlines {
  private readonly told = new Set<number>();

  constructor(
    private readonly queue: Pick<DeadlineQueue, 'add'>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  async add(runs: readonly WaitingRun[]): Promise<void> {
    const seconds = new Set(runs.map(({ wakeAt }) => Math.ceil(wakeAt / 1000)));
    const untold = [...seconds].filter((second) => !this.told.has(second));
    if (untold.length === 0) return;
    const now = this.clock.now();
    try {
      await this.queue.add(untold, now);
      this.remember(untold, now);
    } catch (error) {
      // That the queue is away has been said once; anything else is worth a line each time.
      const level = error instanceof QueueAway ? 'debug' : 'warn';
      this.log[level]({ seconds: untold.length, err: error }, 'the queue did not take the deadlines: rescue will');
    }
  }

  private remember(seconds: readonly number[], now: number): void {
    if (this.told.size + seconds.length > MOST) this.forget(now);
    for (const second of seconds) if (this.told.size < MOST) this.told.add(second);
  }

  private forget(now: number): void {
    for (const second of this.told) if (second * 1000 < now) this.told.delete(second);
  }
}
