import type { NewRun } from '#database';
import type { Logger } from 'pino';
import type { Tick } from './tick.js';

/** So far ahead a crowd is looked for, beyond the next second, which has its own pass. */
const LOOK_AHEAD_MS = 2_000;

/**
 * The next second in which more tasks are due than one batch holds. Half a second is not enough to admit them, so that they are begun with
 * while their second is still a few away, beside the ticks of the others. The queue is told of them by themselves: a tick that
 * takes long may have no pass for that second.
 */
export class ComingCrowd {
  private newest = -Infinity;
  private admitting = false;
  private readonly coming = new Set<Promise<void>>();
  private stop!: () => void;
  private readonly stopped = new Promise<void>((resolve) => (this.stop = resolve));

  constructor(
    private readonly tick: Pick<Tick, 'crowdedSecond' | 'admitAhead' | 'announce'>,
    /** Resolves when it is time for the queue to be told of that second. */
    private readonly isAtHand: (second: number) => Promise<void>,
    private readonly log: Logger,
  ) {}

  /** Looks for one after that second, which is the next to come, and begins with it. */
  async look(next: number): Promise<void> {
    if (this.admitting) return;
    const second = await this.tick.crowdedSecond(next, next + LOOK_AHEAD_MS);
    // What is left of one that was begun with is left to the passes of its second.
    if (second === null || second <= this.newest) return;
    this.newest = second;
    const bringing = this.bring(second)
      .catch((error: unknown) =>
        this.log.warn({ err: error }, 'the queue does not know of a crowd: rescue will tell it'),
      )
      .finally(() => this.coming.delete(bringing));
    this.coming.add(bringing);
  }

  /** What is admitted is told now: the queue keeps it until it is due. */
  async end(): Promise<void> {
    this.stop();
    await Promise.all(this.coming);
  }

  private async bring(second: number): Promise<void> {
    const runs: NewRun[] = [];
    const admitted = this.admit(second, runs);
    await Promise.race([this.isAtHand(second), this.stopped]);
    await this.tell(runs);
    // A batch may have been under way.
    await admitted;
    await this.tell(runs);
  }

  private async admit(second: number, runs: NewRun[]): Promise<void> {
    this.admitting = true;
    await this.tick.admitAhead(second, runs).catch((error: unknown) => {
      this.log.debug({ err: error }, 'what could not be admitted ahead is admitted in its second');
    });
    this.admitting = false;
  }

  private async tell(runs: NewRun[]): Promise<void> {
    const rest = runs.splice(0);
    if (rest.length > 0) await this.tick.announce(rest);
  }
}
