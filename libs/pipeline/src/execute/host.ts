import { type HostLoad, type HostRules, mayStart, QUICK_MS, TokenBucket } from '#domain';
import type { WaitingRun } from './waiting-run.js';

/** How much the newest call counts in what is said of a host's calls: a host that has recovered is soon believed. */
const WEIGHT = { slower: 1 / 8, faster: 1 / 2 };

/** One target host as this worker knows it: its slots, how long its calls take, its rate, and the runs that wait for it. */
export class Host {
  /** Higher priorities first, then in the order of arrival. */
  line: WaitingRun[] = [];
  /** When the last of the runs that were put off comes back. */
  backAt = 0;
  private calling = 0;
  /** Runs that are being claimed, or are claimed and have no slot yet. */
  private promised = 0;
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
    return this.calling + this.promised === 0 && this.line.length === 0;
  }

  /** A call takes as long as they usually do, or as those under way have taken already: a host that hangs says nothing. */
  loadAt(now: number): HostLoad {
    return this.load(now, this.calling + this.promised, this.bucket?.available(now) ?? Infinity);
  }

  /** Of a run that is claimed: whether it may have one of the free slots now. Its token it has had since it was promised one. */
  mayCall(free: number, now: number, rules: HostRules): boolean {
    return mayStart(this.load(now, this.calling, Infinity), free, rules);
  }

  private load(now: number, held: number, tokens: number): HostLoad {
    const age = this.calling === 0 ? 0 : now - this.startSum / this.calling;
    const callMs = Math.max(this.usualMs, age);
    return { held, callMs, isQuick: this.usualMs > 0 && callMs <= QUICK_MS, tokens };
  }

  promise(): void {
    this.promised++;
    this.bucket?.take();
  }

  /** What was promised is not needed: the run was somebody else's, or is to be. */
  giveBack(): void {
    this.promised--;
    this.bucket?.giveBack();
  }

  /** What was promised is a call now. */
  begin(now: number): void {
    this.promised--;
    this.calling++;
    this.startSum += now;
  }

  end(beganAt: number, now: number): void {
    this.calling--;
    // Exactly zero again, whatever rounding has left behind.
    this.startSum = this.calling === 0 ? 0 : this.startSum - beganAt;
    const ms = now - beganAt;
    const weight = ms < this.usualMs ? WEIGHT.faster : WEIGHT.slower;
    this.usualMs = this.usualMs === 0 ? ms : this.usualMs + (ms - this.usualMs) * weight;
  }
}

/** A run that is being claimed, and the host that it was promised a slot of. */
export interface PickedRun extends WaitingRun {
  readonly host: Host;
}
