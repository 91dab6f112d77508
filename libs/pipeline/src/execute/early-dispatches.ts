import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '#database';

/** What is due so soon keeps its job while it waits: should this worker go, the queue gives it to another. */
const SOON_MS = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Dispatches that the queue has given out before they are due. Those of the next moment were sent so, to be at hand when their second
 * comes. Any other has come by a wrong clock: BullMQ promotes delayed jobs by the clock of the host that asks:
 * where that is ahead, they all come too soon. The database's clock decides, so they wait here. Their jobs are over meanwhile:
 * should this worker go, rescue finds their runs, as any that the queue has lost.
 */
export class EarlyDispatches {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly clock: Clock) {}

  /** Resolves when it is due, if that is soon. */
  async comes(dueAt: number): Promise<void> {
    for (let early = this.early(dueAt); early > 0 && early <= SOON_MS; early = this.early(dueAt)) await pause(early);
  }

  /** Whether it waits here without its job; `look` is called when it may be due. */
  keeps(dueAt: number, look: () => void): boolean {
    const early = this.early(dueAt);
    if (early <= SOON_MS) return false;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        look();
      },
      Math.min(early, LONGEST_TIMER_MS),
    );
    this.timers.add(timer);
    return true;
  }

  private early(dueAt: number): number {
    return Math.ceil(dueAt - this.clock.now());
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
