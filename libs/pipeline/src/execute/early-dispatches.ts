import type { Clock } from '#database';

/** Clocks that agree differ by a little all the same. */
const TOLERANCE_MS = 5;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Dispatches that the queue has given out before they are due. BullMQ promotes delayed jobs by the clock of the host that asks:
 * where that is ahead, they all come too soon. The database's clock decides, so they wait here. Their jobs are over meanwhile:
 * should this worker go, rescue finds their runs, as any that the queue has lost.
 */
export class EarlyDispatches {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly clock: Clock) {}

  /** Whether it waits here; `look` is called when it may be due. */
  keeps(dueAt: number, look: () => void): boolean {
    const early = dueAt - this.clock.now();
    if (early <= TOLERANCE_MS) return false;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        look();
      },
      Math.min(Math.ceil(early), LONGEST_TIMER_MS),
    );
    this.timers.add(timer);
    return true;
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
