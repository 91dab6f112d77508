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
  /** Its place among all that have come. */
  readonly place: number;
}
const priorityOf = ({ picked }: SeenRun): number => picked.priority;

/**
 * Runs of swift hosts that were claimed before there was a slot for them, so that a slot that comes free is used at once and not
 * after the next claim. Higher priorities first, then first in, first out; but no host gets more slots than its share. In a line
 * per host: whenever a call ends only the first of each is looked at, however many wait.
 */
export class ReadyRuns {
  private readonly lines = new Map<Host, SeenRun[]>();
  private count = 0;
  private places = 0;
  private looks = 0;

  constructor(private readonly rules: HostRules) {}

  get size(): number {
    return this.count;
  }

  /** Of the one that starts next; Infinity if there is none. */
  get highestPriority(): number {
    if (this.count === 0) return Infinity;
    let highest = 0;
    for (const line of this.lines.values()) highest = Math.max(highest, line[0].picked.priority);
    return highest;
  }

  add(runs: readonly ReadyRun[]): void {
    for (const { live, picked } of runs) {
      const one = { live, picked, sinceLook: this.looks, place: this.places++ };
      const line = this.lines.get(picked.host);
      if (line === undefined) this.lines.set(picked.host, [one]);
      else insertByPriority(line, one, priorityOf);
    }
    this.count += runs.length;
  }

  /** The next one that may have one of the free slots. */
  next(free: number, now: number): ReadyRun | undefined {
    if (free <= 0) return undefined;
    let first: SeenRun | undefined;
    for (const [host, [one]] of this.lines) {
      if ((first === undefined || isBefore(one, first)) && host.mayCall(free, now, this.rules)) first = one;
    }
    if (first !== undefined) this.takeFirst(first.picked.host);
    return first;
  }

  /** One more look: those that have been seen too often. */
  takeLate(): ReadyRun[] {
    this.looks++;
    return this.take(({ sinceLook }) => this.looks - sinceLook > LOOKS);
  }

  takeAll(): ReadyRun[] {
    return this.take(() => true);
  }

  private takeFirst(host: Host): void {
    const line = this.lines.get(host)!;
    line.shift();
    this.count--;
    if (line.length === 0) this.lines.delete(host);
  }

  private take(isTaken: (one: SeenRun) => boolean): ReadyRun[] {
    const taken: ReadyRun[] = [];
    for (const [host, line] of this.lines) {
      const left = line.filter((one) => !isTaken(one));
      if (left.length === line.length) continue;
      taken.push(...line.filter(isTaken));
      if (left.length > 0) this.lines.set(host, left);
      else this.lines.delete(host);
    }
    this.count -= taken.length;
    return taken;
  }
}

const isBefore = (one: SeenRun, other: SeenRun): boolean =>
  one.picked.priority === other.picked.priority ? one.place < other.place : one.picked.priority > other.picked.priority;
