import type { ClaimedRun } from '#database';
import type { HostRules } from '#domain';
import type { PickedRun } from './host.js';

/** Claimed, and without a slot yet. */
export interface ReadyRun {
  readonly run: ClaimedRun;
  readonly picked: PickedRun;
  readonly since: number;
}

/** Longest a run waits here: then its host is not as swift as it was, and another worker may be idle. */
const PATIENCE_MS = 250;

/**
 * Runs of swift hosts that were claimed before there was a slot for them, so that a slot that comes free is used at once and not
 * after the next claim. First in, first out; but no host gets more slots than its share.
 */
export class ReadyRuns {
  private waiting: ReadyRun[] = [];

  constructor(private readonly rules: HostRules) {}

  get size(): number {
    return this.waiting.length;
  }

  add(runs: readonly ReadyRun[]): void {
    this.waiting.push(...runs);
  }

  /** The next one that may have one of the free slots. */
  next(free: number, now: number): ReadyRun | undefined {
    if (free <= 0) return undefined;
    const at = this.waiting.findIndex(({ picked }) => picked.host.mayCall(free, now, this.rules));
    return at < 0 ? undefined : this.waiting.splice(at, 1)[0];
  }

  takeLate(now: number): ReadyRun[] {
    const isLate = ({ since }: ReadyRun) => now - since >= PATIENCE_MS;
    const late = this.waiting.filter(isLate);
    if (late.length > 0) this.waiting = this.waiting.filter((one) => !isLate(one));
    return late;
  }

  takeAll(): ReadyRun[] {
    return this.waiting.splice(0);
  }
}
