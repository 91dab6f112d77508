import type { HostRules } from '#domain';
import type { Host, PickedRun } from './host.js';
import type { LiveExecution } from './live-executions.js';

/** Claimed, and without a slot yet. */
export interface ReadyRun {
  readonly live: LiveExecution;
  readonly picked: PickedRun;
}

/**
 * How often a run may be seen waiting here: then its host is not as swift as it was, and another worker may be idle. Counted in
 * looks and not in milliseconds: a worker that has stood still itself would take it for the host.
 */
const LOOKS = 5;

/**
 * Runs of swift hosts that were claimed before there was a slot for them, so that a slot that comes free is used at once and not
 * after the next claim. First in, first out; but no host gets more slots than its share.
 */
export class ReadyRuns {
  private waiting: (ReadyRun & { readonly sinceLook: number })[] = [];
  private looks = 0;

  constructor(private readonly rules: HostRules) {}

  get size(): number {
    return this.waiting.length;
  }

  add(runs: readonly ReadyRun[]): void {
    for (const { live, picked } of runs) this.waiting.push({ live, picked, sinceLook: this.looks });
  }

  /** The next one that may have one of the free slots. */
  next(free: number, now: number): ReadyRun | undefined {
    if (free <= 0) return undefined;
    // Each host is asked once: many runs wait for few of them, and this is done whenever a call ends.
    const full = new Set<Host>();
    const at = this.waiting.findIndex(({ picked: { host } }) => {
      if (full.has(host)) return false;
      if (host.mayCall(free, now, this.rules)) return true;
      full.add(host);
      return false;
    });
    if (at <= 0) return at < 0 ? undefined : this.waiting.shift();
    return this.waiting.splice(at, 1)[0];
  }

  /** One more look: those that have been seen too often. They came in order, so they are the first ones. */
  takeLate(): ReadyRun[] {
    this.looks++;
    const firstInTime = this.waiting.findIndex(({ sinceLook }) => this.looks - sinceLook <= LOOKS);
    return this.waiting.splice(0, firstInTime < 0 ? this.waiting.length : firstInTime);
  }

  takeAll(): ReadyRun[] {
    return this.waiting.splice(0);
  }
}
