import { Gather, type Pace } from '../gather.js';

/** Most executions one transaction closes. */
export const MOST = 400;

/** A line of results of which one group at a time is closed: while it is on its way, the next one gathers. */
export class SettleLane<Item> {
  private waiting: Item[] = [];
  private closing = false;
  /** Enough has gathered while a group was on its way. */
  private due = false;
  private readonly gather: Gather;

  constructor(
    pace: Pace,
    private readonly close: (items: Item[]) => Promise<void>,
  ) {
    this.gather = new Gather(pace, () => {
      this.due = true;
      void this.closeDue();
    });
  }

  /** `isLast`: no other is under way that could join it. */
  add(item: Item, isLast: boolean, pace: Pace): void {
    this.waiting.push(item);
    this.gather.add(isLast, pace);
  }

  /** What waits for more goes now. */
  hurry(): void {
    if (this.gather.isWaiting) this.gather.now();
  }

  private async closeDue(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    while (this.waiting.length > 0 && (this.due || !this.gather.isWaiting)) {
      this.due = false;
      await this.close(this.take());
    }
    this.closing = false;
  }

  /** Full groups, and the rest goes on gathering; all of it, if that is not to wait, or is all there is. */
  private take(): Item[] {
    const full = this.waiting.length - (this.waiting.length % MOST);
    if (full > 0 && this.gather.isWaiting) return this.waiting.splice(0, full);
    this.gather.clear();
    return this.waiting.splice(0);
  }
}
