import type { Clock, NewRun } from '#database';
import type { Logger } from 'pino';
import type { Tick } from './tick.js';

/** So far ahead a crowd is looked for, beyond the next second, which has its own pass. */
const LOOK_AHEAD_MS = 2_000;

/**
 * The next second in which more tasks are due than one batch holds. Half a second is not enough to admit them, so that they are begun with
 * while their second is still a few away, beside the ticks of the others.
 */
export class ComingCrowd {
  /** By second, until somebody tells the queue of them. */
  private readonly admitted = new Map<number, NewRun[]>();
  private admitting: Promise<void> | undefined;

  constructor(
    private readonly tick: Pick<Tick, 'crowdedSecond' | 'admitAhead' | 'announce'>,
    private readonly clock: Clock,
    /** How long before their second the queue is told. */
    private readonly atHandMs: number,
    private readonly log: Logger,
  ) {}

  /** Looks for one after that second, which is the next to come, and begins with it. */
  async look(next: number): Promise<void> {
    if (this.admitting) return;
    const second = await this.tick.crowdedSecond(next, next + LOOK_AHEAD_MS);
    if (second === null || this.admitted.has(second)) return;
    const runs: NewRun[] = [];
    this.admitted.set(second, runs);
    this.admitting = this.admit(second, runs).finally(() => (this.admitting = undefined));
  }

  /** Hands over what is admitted of that second, to be told; more may be added to it before it comes. */
  take(second: number): NewRun[] {
    const runs = this.admitted.get(second) ?? [];
    this.admitted.delete(second);
    return runs;
  }

  /** What is admitted is told now: the queue keeps it until it is due. */
  async stop(): Promise<void> {
    await this.admitting;
    for (const second of [...this.admitted.keys()]) await this.tellRest(this.take(second));
  }

  private async admit(second: number, runs: NewRun[]): Promise<void> {
    await this.tick.admitAhead(second, runs).catch((error: unknown) => {
      this.log.debug({ err: error }, 'what could not be admitted ahead is admitted in its second');
    });
    // The last batch was under way when the others were told.
    if (this.clock.now() >= second - this.atHandMs) await this.tellRest(runs);
  }

  private async tellRest(runs: NewRun[]): Promise<void> {
    const rest = runs.splice(0);
    if (rest.length > 0) await this.tick.announce(rest);
  }
}
