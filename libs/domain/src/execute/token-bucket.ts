/** How much of a second's calls may come at once. */
const BURST_SECONDS = 0.1;

/** Lets so many calls per second through, evenly but for a small burst. Time is given by the caller, in milliseconds. */
export class TokenBucket {
  private readonly size: number;
  private tokens: number;

  constructor(
    private readonly rate: number,
    private at: number,
  ) {
    this.size = Math.max(1, rate * BURST_SECONDS);
    this.tokens = this.size;
  }

  /** Whole calls that are allowed now, and the beginning of the next. */
  available(now: number): number {
    this.tokens = Math.min(this.size, this.tokens + (Math.max(0, now - this.at) * this.rate) / 1000);
    this.at = now;
    return this.tokens;
  }

  take(): void {
    this.tokens -= 1;
  }

  /** For a call that was not made after all. */
  giveBack(): void {
    this.tokens = Math.min(this.size, this.tokens + 1);
  }
}
