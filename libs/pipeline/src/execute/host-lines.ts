import { comeBackAt, ELSEWHERE_MS, type HostRules, mayStart, mayWaitClaimed, PATIENCE_MS, planLine } from '#domain';
import { Host, type PickedRun } from './host.js';
import { insertByPriority, type LeftOver, type WaitingRun } from './waiting-run.js';

/** Hosts that have nothing to do are forgotten when there are more. */
const MOST_HOSTS = 1_000;

export interface HostLineOptions {
  rules: HostRules;
  /** Most runs of one host that wait without their job. */
  places: number;
}

/** The runs that wait for a slot, in one line per target host. Times are milliseconds of any clock that never goes back. */
export class HostLines {
  private readonly hosts = new Map<string, Host>();
  /** Those with a line, in the order in which they get the next slot, of those that wait with the same priority. */
  private readonly inTurn = new Map<string, Host>();

  constructor(private readonly options: HostLineOptions) {}

  get isEmpty(): boolean {
    return this.inTurn.size === 0;
  }

  /** Of those that wait. */
  get highestPriority(): number {
    let highest = 0;
    for (const { line } of this.inTurn.values()) highest = Math.max(highest, line[0].priority);
    return highest;
  }

  join(name: string, run: WaitingRun): void {
    const host = this.hosts.get(name) ?? this.meet(name, run.since);
    insertByPriority(host.line, run, ({ priority }) => priority);
    this.inTurn.set(name, host);
  }

  /**
   * Takes runs for that many free slots: the highest priority first, and of one priority one of each host in turn, while the host may
   * have more. And so many more of swift hosts that are to wait for their slot claimed.
   */
  pick(free: number, ahead: number, now: number): PickedRun[] {
    const picked: PickedRun[] = [];
    let [slots, more] = [free, ahead];
    for (let level = this.highestPriority; level >= 0; level--) {
      for (const [name, host] of this.inTurn) {
        if (slots <= 0 && more <= 0) return picked;
        if (host.line[0].priority < level) continue;
        const load = host.loadAt(now);
        if (mayStart(load, slots, this.options.rules)) slots--;
        else if (more > 0 && mayWaitClaimed(load, this.options.rules)) more--;
        else continue;
        host.promise();
        const { id, priority, since, job } = host.line.shift()!;
        picked.push({ id, priority, since, job, host });
        // Moved to the end, where this very loop meets it again.
        this.inTurn.delete(name);
        if (host.line.length > 0) this.inTurn.set(name, host);
      }
    }
    return picked;
  }

  /**
   * For when nothing can be picked: parks what can wait here for its host, and gives back what is to be tried elsewhere or
   * later. Without a free slot everybody waits as long as `patienceMs`.
   */
  review(free: number, now: number, patienceMs: number): LeftOver[] {
    const left: LeftOver[] = [];
    for (const [name, host] of this.inTurn) {
      const runs = free > 0 ? this.putOff(host, free, now) : withoutPatience(host, now, patienceMs);
      if (runs.length > 0) left.push({ runs, ...this.returnOf(host, runs.length, free, now) });
      if (host.line.length === 0) this.inTurn.delete(name);
    }
    return left;
  }

  takeAll(): WaitingRun[] {
    const all = [...this.inTurn.values()].flatMap((host) => host.line.splice(0));
    this.inTurn.clear();
    return all;
  }

  private putOff(host: Host, free: number, now: number): WaitingRun[] {
    const { rules, places } = this.options;
    const impatient = withoutPatience(host, now, PATIENCE_MS);
    const { parked, kept } = planLine(host.loadAt(now), free, rules, places);
    for (const run of host.line.slice(0, parked)) park(run);
    return impatient.concat(host.line.splice(kept));
  }

  private returnOf(host: Host, runs: number, free: number, now: number): Omit<LeftOver, 'runs'> {
    if (free <= 0) return { reason: 'slots', afterMs: ELSEWHERE_MS };
    host.backAt = comeBackAt(now, host.backAt, host.loadAt(now), this.options.rules, runs);
    return { reason: 'host', afterMs: host.backAt - now };
  }

  private meet(name: string, now: number): Host {
    if (this.hosts.size >= MOST_HOSTS) this.forgetIdle();
    // Commands have no host: what a host is spared is nothing to them.
    const host = new Host(name, name === '' ? 0 : this.options.rules.rate, now);
    this.hosts.set(name, host);
    return host;
  }

  private forgetIdle(): void {
    for (const [name, host] of this.hosts) if (host.isIdle) this.hosts.delete(name);
  }
}

function park(run: WaitingRun): void {
  run.job?.release();
  run.job = null;
}

function withoutPatience(host: Host, now: number, patienceMs: number): WaitingRun[] {
  const isImpatient = (run: WaitingRun) => now - run.since >= patienceMs;
  const impatient = host.line.filter(isImpatient);
  if (impatient.length > 0) host.line = host.line.filter((run) => !isImpatient(run));
  return impatient;
}
