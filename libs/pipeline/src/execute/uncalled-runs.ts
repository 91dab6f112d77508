import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type Database, type Execution, giveBackRuns } from '#database';

const AGAIN_MS = 1_000;
const AT_ONCE = 500;

/** A run that this worker has claimed, or may have, and does not call. */
export interface UncalledRun extends Execution {
  priority: number;
}

interface Entry {
  run: UncalledRun;
  /** When its lease is over, and rescue has it. */
  until: number;
  isInDoubt: boolean;
  /** Called when the database has answered for it once, or its lease is over. */
  onAsked: (() => void) | null;
}

/**
 * Gives claims back that come to nothing, so that they cost no attempt: once a second, until the database has taken each, or its lease is over.
 * One loop for all of them: a database that breaks off whatever it is asked must not be asked more and more.
 */
export class UncalledRuns {
  private entries: Entry[] = [];
  private isWorking = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly leaseMs: number,
    private readonly tellQueue: (runs: readonly UncalledRun[]) => Promise<void>,
  ) {}

  /**
   * Resolves when the database has been asked.
   * @param isInDoubt nobody knows whether they were claimed. Then they are looked at to the end of such a lease: the claim may reach a
   *   database that stood still after we have. And the queue is told of them at once: it may have lost those that were not.
   */
  async giveBack(runs: readonly UncalledRun[], isInDoubt: boolean): Promise<void> {
    const until = performance.now() + this.leaseMs;
    const asked = runs.map(
      (run) => new Promise<void>((onAsked) => this.entries.push({ run, until, isInDoubt, onAsked })),
    );
    if (!this.isWorking) void this.work();
    await Promise.all(asked);
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    while (this.entries.length > 0) {
      const all = [...this.entries];
      for (let i = 0; i < all.length; i += AT_ONCE) await this.look(all.slice(i, i + AT_ONCE)).catch(() => undefined);
      this.forgetThoseOver(performance.now());
      if (this.entries.length > 0) await pause(AGAIN_MS, undefined, { ref: false });
    }
    this.isWorking = false;
  }

  private async look(some: readonly Entry[]): Promise<void> {
    const givenBack = await giveBackRuns(
      this.database,
      some.map(({ run }) => run),
      this.clock.now(),
    );
    const gone = new Set(givenBack.map(({ execId }) => execId));
    const toTell = some.filter(
      ({ run, isInDoubt, onAsked }) => gone.has(run.execId) || (isInDoubt && onAsked !== null),
    );
    this.entries = this.entries.filter(({ run }) => !gone.has(run.execId));
    try {
      if (toTell.length > 0) await this.tellQueue(toTell.map(({ run }) => run));
    } finally {
      some.forEach(answer);
    }
  }

  private forgetThoseOver(now: number): void {
    this.entries.filter(({ until }) => until <= now).forEach(answer);
    this.entries = this.entries.filter(({ until }) => until > now);
  }
}

function answer(entry: Entry): void {
  entry.onAsked?.();
  entry.onAsked = null;
}
