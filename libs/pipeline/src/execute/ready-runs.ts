import type { HostRules } from '#domain';
import type { Host, PickedRun } from './host.js';
import type { LiveExecution } from './live-executions.js';
import { insertByPriority } from './waiting-run.js';

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

interface SeenRun extends ReadyRun {
  readonly sinceLook: number;
}
const priorityOf = ({ picked }: SeenRun): number => picked.priority;

/**
 * Runs of swift hosts that were claimed before there was a slot for them, so that a slot that comes free is used at once and not
 * after the next claim. Higher priorities first, then first in, first out; but no host gets more slots than its share.
 */
export class ReadyRuns {
  private waiting: SeenRun[] = [];
  /** How many of them each host has. */
  private readonly hosts = new Map<Host, number>();
  private looks = 0;

  constructor(private readonly rules: HostRules) {}

  get size(): number {
    return this.waiting.length;
  }

  /** Of the one that starts next; Infinity if there is none. */
  get highestPriority(): number {
    return this.waiting[0]?.picked.priority ?? Infinity;
  }

  add(runs: readonly ReadyRun[]): void {
    for (const { live, picked } of runs) {
      insertByPriority(this.waiting, { live, picked, sinceLook: this.looks }, priorityOf);
      this.hosts.set(picked.host, (this.hosts.get(picked.host) ?? 0) + 1);
    }
  }

  /** The next one that may have one of the free slots. */
  next(free: number, now: number): ReadyRun | undefined {
    if (free <= 0) return undefined;
    // Each host is asked once, and none is looked for when all are full: many runs wait for few of them, and this is done whenever a call ends.
    const full = new Set<Host>();
    for (let at = 0; full.size < this.hosts.size; at++) {
      const { host } = this.waiting[at].picked;
      if (full.has(host)) continue;
      if (host.mayCall(free, now, this.rules)) return this.takeAt(at);
      full.add(host);
    }
    return undefined;
  }

  /** One more look: those that have been seen too often. */
  takeLate(): ReadyRun[] {
    this.looks++;
    const isLate = ({ sinceLook }: SeenRun) => this.looks - sinceLook > LOOKS;
    const late = this.waiting.filter(isLate);
    if (late.length > 0) this.waiting = this.waiting.filter((one) => !isLate(one));
    for (const one of late) this.leaves(one);
    return late;
  }

  takeAll(): ReadyRun[] {
    this.hosts.clear();
    return this.waiting.splice(0);
  }

  private takeAt(at: number): ReadyRun {
    const one = at === 0 ? this.waiting.shift()! : this.waiting.splice(at, 1)[0];
    this.leaves(one);
    return one;
  }

  private leaves({ picked: { host } }: ReadyRun): void {
    const left = this.hosts.get(host)! - 1;
    if (left > 0) this.hosts.set(host, left);
    else this.hosts.delete(host);
  }
}
