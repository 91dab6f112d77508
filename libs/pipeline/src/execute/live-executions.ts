import type { ClaimedRun, Execution as Held } from '#database';
import type { Logger } from 'pino';
import type { Abortable } from './execution.js';

interface Live {
  run: ClaimedRun;
  since: number;
  /** Claimed: not calling yet. Over: the call has ended by itself, only its result is still to be written. */
  state: 'claimed' | 'calling' | 'aborted' | 'disowned' | 'over';
  abort: () => void;
}

/**
 * What this worker has claimed and not settled yet, by execution: a run that was taken from us may be ours again under a
 * newer one, and only the old one is to be broken off.
 */
export class LiveExecutions {
  private readonly live = new Map<string, Live>();

  constructor(private readonly log: Logger) {}

  get size(): number {
    return this.live.size;
  }

  add(run: ClaimedRun): void {
    this.live.set(run.execId, { run, since: performance.now(), state: 'claimed', abort: () => undefined });
  }

  /** Those that are at least that old. */
  list(olderThanMs = 0): Held[] {
    const youngest = performance.now() - olderThanMs;
    const held: Held[] = [];
    for (const { run, since } of this.live.values()) {
      if (since <= youngest) held.push({ id: run.id, execId: run.execId });
    }
    return held;
  }

  /** Takes the function that breaks the call off, and uses it at once if that was asked for before there was a call. */
  abortableOf({ execId }: ClaimedRun): Abortable {
    return (abort) => {
      const one = this.live.get(execId);
      if (one?.state !== 'claimed') return abort();
      one.abort = abort;
      one.state = 'calling';
    };
  }

  /** Breaks off what is still ours, and will be settled as lost. */
  abort(executions: readonly Held[], reason: string): void {
    for (const one of this.callsOf(executions)) {
      this.log.warn({ run_id: one.run.id, exec_id: one.run.execId }, `aborting a call: ${reason}`);
      one.state = 'aborted';
      one.abort();
    }
  }

  /** Breaks off what is no longer ours: its result will change nothing. */
  disown(executions: readonly Held[]): void {
    for (const one of this.callsOf(executions)) {
      const ids = { run_id: one.run.id, exec_id: one.run.execId };
      this.log.info(ids, 'aborting a call: its run was cancelled or taken over');
      one.state = 'disowned';
      one.abort();
    }
  }

  /** The call has ended; says whether its result is worth telling. */
  end({ execId }: ClaimedRun): boolean {
    const one = this.live.get(execId);
    if (one === undefined || one.state === 'disowned') return false;
    one.state = 'over';
    return true;
  }

  delete({ execId }: ClaimedRun): void {
    this.live.delete(execId);
  }

  private *callsOf(executions: readonly Held[]): Iterable<Live> {
    for (const { execId } of executions) {
      const one = this.live.get(execId);
      if (one?.state === 'claimed' || one?.state === 'calling') yield one;
    }
  }
}
