import type { CatchUpMode, ConcurrencyPolicy, FailureAction, OverlapAction, RunStatus, SkipReason } from '#domain';

/**
 * One task as the rules describe it, and nothing else: a definition and a list of runs. It keeps no counters and no memory
 * of its own; whatever a rule asks for is counted anew from the list. It shares no code with the product, only the words
 * for states and policies, so that both can only agree by following the same rules.
 *
 * The task fires every second. Where the rules are silent, the comments that begin with "Silent" say what was chosen.
 */
export interface Policies {
  overlapAction: OverlapAction;
  failureAction: FailureAction;
  concurrencyPolicy: ConcurrencyPolicy;
  maxConcurrency: number;
  queueLimit: number;
}

export interface Definition extends Policies {
  maxAttempts: number;
  needManual: boolean;
  catchUpMode: CatchUpMode;
  catchUpLimit: number;
}

export interface ReferenceRun {
  id: string;
  trigger: 'CRON' | 'CATCH_UP' | 'API';
  /** Epoch milliseconds. */
  scheduledTime: number;
  status: RunStatus;
  skipReason: SkipReason | null;
  /** Any of these may be named as the run in the way; null: none may. */
  blockers: string[] | null;
  tickAttempt: number;
  attempt: number;
  missedCount: number | null;
  /** How often a person had it tried again, each time with an attempt more. */
  retried: number;
  /** Whether somebody still answers for the execution, while it is RUNNING. */
  alive: boolean;
}

export type CallbackEnding = 'success' | 'failure' | 'refusal';
export type Ending = 'success' | 'failure' | 'refusal' | 'timeout' | 'interruption';

interface Tick {
  at: number;
  trigger: 'CRON' | 'CATCH_UP';
  missed: boolean;
  missedCount: number | null;
}

export const GRACE_SECONDS = 3;
const HOLDS_A_SLOT: RunStatus[] = ['SCHEDULED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING'];
const UNFINISHED: RunStatus[] = [...HOLDS_A_SLOT, 'QUEUED'];
const FAILED: RunStatus[] = ['FAILED', 'TIMEOUT', 'CANCELED'];

export class ReferenceTask {
  readonly runs: ReferenceRun[] = [];
  /** Every second that was due and has been decided. */
  readonly due: number[] = [];
  state: 'ENABLED' | 'DISABLED' | 'DELETED' = 'ENABLED';

  constructor(
    readonly id: bigint,
    public definition: Definition,
    public nextFire: number | null,
  ) {}

  get unfinished(): ReferenceRun[] {
    return this.runs.filter((run) => UNFINISHED.includes(run.status));
  }

  get holders(): ReferenceRun[] {
    return this.runs.filter((run) => HOLDS_A_SLOT.includes(run.status));
  }

  /** First in, first out, by scheduled time. */
  get waiting(): ReferenceRun[] {
    const queued = this.runs.filter((run) => run.status === 'QUEUED');
    return queued.sort((a, b) => a.scheduledTime - b.scheduledTime);
  }

  /** Every second up to now leaves its row. */
  tick(now: number): void {
    if (this.nextFire === null || this.nextFire * 1000 > now) return;
    const seconds = secondsBetween(this.nextFire, Math.floor(now / 1000));
    this.due.push(...seconds);
    this.nextFire += seconds.length;
    const onTime = seconds.filter((second) => now - second * 1000 <= GRACE_SECONDS * 1000);
    const gap = seconds.slice(0, seconds.length - onTime.length);
    // Silent: seconds that are decided together do not see as failed what one of them has just replaced.
    const failure = this.lastFailure();
    for (const tick of [...this.caughtUp(gap), ...onTime.map(punctual)]) this.decide(tick, failure);
  }

  private caughtUp(gap: number[]): Tick[] {
    const { catchUpMode, catchUpLimit } = this.definition;
    if (catchUpMode !== 'FULL') return together(gap, catchUpMode === 'COMPACT' ? 'CATCH_UP' : 'missed');
    const cut = Math.max(0, gap.length - catchUpLimit);
    const back = gap.slice(cut).map((at): Tick => ({ ...punctual(at), trigger: 'CATCH_UP' }));
    return [...together(gap.slice(0, cut), 'missed'), ...back];
  }

  /** Exists already, overlap, failure, concurrency, create: in this order. */
  private decide(tick: Tick, failure: ReferenceRun | null): void {
    const { overlapAction, failureAction } = this.definition;
    const overlaps = this.unfinished.length > 0;
    // Silent: the count of a tick that is skipped goes on from a failure, whatever the failure action.
    const skip = (reason: SkipReason, blockers: string[] | null) =>
      this.add(tick, { status: 'SKIPPED', skipReason: reason, blockers, tickAttempt: (failure?.tickAttempt ?? 0) + 1 });
    if (tick.missed) return skip('MISSED', null);
    if (overlaps && overlapAction === 'SKIP') return skip('OVERLAP', idsOf(this.unfinished));
    if (failure && failureAction === 'SKIP' && !this.hasSkippedFor(failure)) return skip('FAILURE', [failure.id]);
    const tickAttempt = failure && failureAction !== 'RUN_NEW' ? failure.tickAttempt + counted(failureAction) : 1;
    if (overlaps && overlapAction === 'CANCEL_PREV') for (const run of this.unfinished) run.status = 'CANCELED';
    if (overlaps && overlapAction === 'PARALLEL') return this.add(tick, { status: 'SCHEDULED', tickAttempt });
    const found = this.slot();
    if (typeof found === 'object') return skip(found.full, idsOf(this.unfinished));
    this.add(tick, { status: found, tickAttempt });
  }

  /** A run on demand asks for a slot only; its id is the product's to choose. */
  demand(id: string, now: number): void {
    const found = this.slot();
    const tick = { id, trigger: 'API' as const, scheduledTime: now };
    if (typeof found === 'string') return this.write({ ...tick, status: found });
    this.write({ ...tick, status: 'SKIPPED', skipReason: found.full, blockers: idsOf(this.unfinished) });
  }

  private slot(): 'SCHEDULED' | 'QUEUED' | { full: SkipReason } {
    const { concurrencyPolicy, queueLimit } = this.definition;
    if (this.hasRoom() && this.waiting.length === 0) return 'SCHEDULED';
    if (concurrencyPolicy === 'SKIP') return { full: 'CONCURRENCY' };
    return this.waiting.length < queueLimit ? 'QUEUED' : { full: 'QUEUE_FULL' };
  }

  private hasRoom(): boolean {
    return this.isUnlimited() || this.holders.length < this.definition.maxConcurrency;
  }

  private isUnlimited(): boolean {
    const { concurrencyPolicy, maxConcurrency } = this.definition;
    return maxConcurrency === 0 || concurrencyPolicy === 'PARALLEL';
  }

  /**
   * The last run that really ran, if it failed. Silent: PENDING is no failure, a person has yet to say; nor is a run that a person had
   * tried again, until it has ended again.
   */
  private lastFailure(): ReferenceRun | null {
    const ran = this.runs.filter((run) => run.attempt > 0 && (run.retried > 0 || !UNFINISHED.includes(run.status)));
    const last = ran.sort((a, b) => a.scheduledTime - b.scheduledTime).at(-1);
    return last && FAILED.includes(last.status) ? last : null;
  }

  private hasSkippedFor({ id }: ReferenceRun): boolean {
    return this.runs.some(({ skipReason, blockers }) => skipReason === 'FAILURE' && blockers?.[0] === id);
  }

  claim(run: ReferenceRun): void {
    Object.assign(run, { status: 'RUNNING', attempt: run.attempt + 1, alive: true });
  }

  /** The slot stays taken. */
  accept(run: ReferenceRun): void {
    run.status = 'WAITING_CALLBACK';
  }

  /** Gives the runs that take the place, first come first served. */
  end(run: ReferenceRun, ending: Ending): string[] {
    run.status = this.statusAfter(run, ending);
    return this.release();
  }

  statusAfter({ attempt, retried }: ReferenceRun, ending: Ending): RunStatus {
    const { maxAttempts, needManual } = this.definition;
    if (ending === 'success') return 'SUCCESS';
    if (ending !== 'refusal' && attempt < maxAttempts + retried) return 'RETRYING';
    if (needManual) return 'PENDING';
    return ending === 'timeout' ? 'TIMEOUT' : 'FAILED';
  }

  cancel(run: ReferenceRun): string[] {
    if (UNFINISHED.includes(run.status)) run.status = 'CANCELED';
    return this.release();
  }

  /** Who waits in line comes first. */
  retry(run: ReferenceRun): boolean {
    if (!this.isUnlimited() && (!this.hasRoom() || this.waiting.length > 0)) return false;
    Object.assign(run, { status: 'RETRYING', retried: run.retried + 1 });
    return true;
  }

  change(policies: Policies): string[] {
    this.definition = { ...this.definition, ...policies };
    return this.release();
  }

  setEnabled(enabled: boolean, now: number): void {
    if (enabled !== (this.state === 'ENABLED')) this.nextFire = enabled ? Math.floor(now / 1000) + 1 : null;
    this.state = enabled ? 'ENABLED' : 'DISABLED';
  }

  delete(): void {
    for (const run of this.unfinished) run.status = 'CANCELED';
    this.state = 'DELETED';
    this.nextFire = null;
  }

  release(): string[] {
    const released: string[] = [];
    for (const run of this.waiting) {
      if (!this.hasRoom()) break;
      run.status = 'SCHEDULED';
      released.push(run.id);
    }
    return released;
  }

  private add({ at, trigger, missedCount }: Tick, run: Partial<ReferenceRun>): void {
    this.write({ id: `${at}-${this.id}`, trigger, scheduledTime: at * 1000, missedCount, ...run });
  }

  private write(run: Partial<ReferenceRun> & Pick<ReferenceRun, 'id' | 'trigger' | 'scheduledTime'>): void {
    const nothing = { skipReason: null, blockers: null, missedCount: null };
    this.runs.push({ status: 'SCHEDULED', ...nothing, tickAttempt: 1, attempt: 0, retried: 0, alive: false, ...run });
  }
}

const counted = (action: FailureAction): number => (action === 'SKIP' ? 2 : 1);
const idsOf = (runs: ReferenceRun[]): string[] => runs.map((run) => run.id);
const secondsBetween = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const punctual = (at: number): Tick => ({ at, trigger: 'CRON', missed: false, missedCount: null });

/** One row for all of them, at the newest. */
function together(gap: number[], as: 'CATCH_UP' | 'missed'): Tick[] {
  const at = gap.at(-1);
  if (at === undefined) return [];
  const missed = as === 'missed';
  return [{ at, trigger: missed ? 'CRON' : 'CATCH_UP', missed, missedCount: gap.length }];
}
