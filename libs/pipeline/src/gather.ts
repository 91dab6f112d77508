export interface Pace {
  /** Enough to act at once. */
  enough: number;
  /** How long a few wait for more. Short: it is there to share a statement, not to save one up. */
  waitMs: number;
}

/** Acts when enough has come together, or a moment after the first has come. */
export class Gather {
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private actsAt = Infinity;

  constructor(
    private readonly pace: Pace,
    private readonly act: () => void,
  ) {}

  /** One more. `isLast`: nothing else is under way that could join it. `pace`: its own, where it can wait for more or for longer. */
  add(isLast: boolean, { enough, waitMs }: Pace = this.pace): void {
    this.count += 1;
    if (isLast || this.count >= enough) return this.now();
    const at = performance.now() + waitMs;
    if (at >= this.actsAt) return;
    clearTimeout(this.timer);
    this.actsAt = at;
    this.timer = setTimeout(() => this.now(), waitMs);
  }

  now(): void {
    this.clear();
    this.act();
  }

  /** What had come together has been seen to. */
  clear(): void {
    this.count = 0;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.actsAt = Infinity;
  }

  get isWaiting(): boolean {
    return this.timer !== undefined;
  }
}
