import type { ClaimedRun, Execution as Held } from '#database';
import type { Logger } from 'pino';
import type { CachedDefinition } from './definition-cache.js';

/** One execution this worker has claimed and not settled yet. */
export class LiveExecution {
  /** Claimed: not calling yet. Over: the call has ended by itself, only its result is still to be written. */
  state: 'claimed' | 'calling' | 'aborted' | 'disowned' | 'over' = 'claimed';
  /** What the run is to do, as it was when it was claimed; the cache may have forgotten it by the time there is a slot. None: the task is gone. */
  definition: CachedDefinition | undefined;
  isListed = true;
  /** When its lease was last asked for: by its claim, or by whoever prolonged it since. */
  leaseFrom: number;
  previous: LiveExecution | null = null;
  next: LiveExecution | null = null;
  private abortCall: (() => void) | null = null;

  constructor(
    readonly run: ClaimedRun,
    /** When its claim was asked for. */
    readonly since = performance.now(),
  ) {
    this.leaseFrom = since;
  }

  /** Takes the function that breaks the call off, and uses it at once if that was asked for before there was a call. */
  readonly abortable = (abort: () => void): void => {
    if (this.state !== 'claimed') return abort();
    this.abortCall = abort;
    this.state = 'calling';
  };

  get canBeAborted(): boolean {
    return this.state === 'claimed' || this.state === 'calling';
  }

  abortAs(state: 'aborted' | 'disowned'): void {
    this.state = state;
    this.abortCall?.();
  }

  /** The call has ended; says whether its result is worth telling. */
  end(): boolean {
    this.abortCall = null;
    if (this.state === 'disowned') return false;
    this.state = 'over';
    return true;
  }
}

/**
 * What this worker is executing, by execution: a run that was taken from us may be ours again under a newer one, and only the old
 * one is to be broken off. A list, not a Map: a Map that is added to and deleted from all day long copies its table again and
 * again, and those tables that have grown old keep alive what they held, calls and all, until the next full collection.
 */
export class LiveExecutions {
  private first: LiveExecution | null = null;
  private count = 0;

  constructor(private readonly log: Logger) {}

  get size(): number {
    return this.count;
  }

  add(run: ClaimedRun, since?: number): LiveExecution {
    const one = new LiveExecution(run, since);
    one.next = this.first;
    if (this.first !== null) this.first.previous = one;
    this.first = one;
    this.count++;
    return one;
  }

  remove(one: LiveExecution): void {
    if (!one.isListed) return;
    const { previous, next } = one;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next !== null) next.previous = previous;
    one.previous = one.next = null;
    one.isListed = false;
    this.count--;
  }

  /** Those that are at least that old. */
  list(olderThanMs = 0): Held[] {
    const youngest = performance.now() - olderThanMs;
    const held: Held[] = [];
    for (const { run, since } of this.all()) if (since <= youngest) held.push({ id: run.id, execId: run.execId });
    return held;
  }

  /** Those whose leases were asked for at least that long ago. */
  listLeases(olderThanMs: number): Held[] {
    const latest = performance.now() - olderThanMs;
    const found: Held[] = [];
    for (const { run, leaseFrom } of this.all())
      if (leaseFrom <= latest) found.push({ id: run.id, execId: run.execId });
    return found;
  }

  /** The database has said at that time or later that they are ours. */
  prolong(executions: readonly Held[], askedAt: number): void {
    const prolonged = new Set(executions.map(({ execId }) => execId));
    for (const one of this.all()) if (prolonged.has(one.run.execId)) one.leaseFrom = askedAt;
  }

  /** Breaks off what is still ours, and will be settled as lost. */
  abort(executions: readonly Held[], reason: string): void {
    for (const one of this.callsOf(executions)) {
      this.log.warn({ run_id: one.run.id, exec_id: one.run.execId }, `aborting a call: ${reason}`);
      one.abortAs('aborted');
    }
  }

  /** Breaks off what is no longer ours: its result will change nothing. */
  disown(executions: readonly Held[]): void {
    for (const one of this.callsOf(executions)) {
      const ids = { run_id: one.run.id, exec_id: one.run.execId };
      this.log.info(ids, 'aborting a call: its run was cancelled or taken over');
      one.abortAs('disowned');
    }
  }

  private callsOf(executions: readonly Held[]): LiveExecution[] {
    if (executions.length === 0) return [];
    const wanted = new Set(executions.map(({ execId }) => execId));
    return [...this.all()].filter((one) => one.canBeAborted && wanted.has(one.run.execId));
  }

  private *all(): Iterable<LiveExecution> {
    for (let one = this.first; one !== null; one = one.next) yield one;
  }
}
