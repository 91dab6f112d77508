export interface GatherOptions {
  /** Enough to act at once. */
  enough: number;
  /** How long a few wait for more. Short: it is there to share a statement, not to save one up. */
  waitMs: number;
}

/** Acts when enough has come together, or a moment after the first has come. */
export class Gather {
  private count = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: GatherOptions,
    private readonly act: () => void,
  ) {}

  /** One more. `isLast`: nothing else is under way that could join it. */
  add(isLast: boolean): void {
    this.count += 1;
    if (isLast || this.count >= this.options.enough) return this.now();
    this.timer ??= setTimeout(() => this.now(), this.options.waitMs);
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
  }

  get isWaiting(): boolean {
    return this.timer !== undefined;
  }
}
