import { type HostLoad, QUICK_MS, TokenBucket } from '#domain';
import type { WaitingRun } from './waiting-run.js';

/** How much the newest call counts in what is said of a host's calls: a host that has recovered is soon believed. */
const WEIGHT = { slower: 1 / 8, faster: 1 / 2 };

/** One target host as this worker knows it: its slots, how long its calls take, its rate, and the runs that wait for it. */
export class Host {
  /** Higher priorities first, then in the order of arrival. */
  line: WaitingRun[] = [];
  /** When the last of the runs that were put off comes back. */
  backAt = 0;
  private held = 0;
  private startSum = 0;
  private usualMs = 0;
  private readonly bucket: TokenBucket | null;

  constructor(
    readonly name: string,
    rate: number,
    now: number,
  ) {
    this.bucket = rate > 0 ? new TokenBucket(rate, now) : null;
  }

  get isIdle(): boolean {
    return this.held === 0 && this.line.length === 0;
  }

  /** A call takes as long as they usually do, or as those under way have taken already: a host that hangs says nothing. */
  loadAt(now: number): HostLoad {
    const age = this.held === 0 ? 0 : now - this.startSum / this.held;
    const callMs = Math.max(this.usualMs, age);
    return {
      held: this.held,
      callMs,
      isQuick: this.usualMs > 0 && callMs <= QUICK_MS,
      tokens: this.bucket?.available(now) ?? Infinity,
    };
  }

  take(now: number): void {
    this.held++;
    this.startSum += now;
    this.bucket?.take();
  }

  /** The run was somebody else's. */
  giveBack(takenAt: number): void {
    this.release(takenAt);
    this.bucket?.giveBack();
  }

  end(takenAt: number, now: number): void {
    this.release(takenAt);
    const ms = now - takenAt;
    const weight = ms < this.usualMs ? WEIGHT.faster : WEIGHT.slower;
    this.usualMs = this.usualMs === 0 ? ms : this.usualMs + (ms - this.usualMs) * weight;
  }

  private release(takenAt: number): void {
    this.held--;
    // Exactly zero again, whatever rounding has left behind.
    this.startSum = this.held === 0 ? 0 : this.startSum - takenAt;
  }
}

/** A run that is being claimed, and the slot that its host has taken for it. */
export interface PickedRun extends WaitingRun {
  readonly host: Host;
  readonly takenAt: number;
}
