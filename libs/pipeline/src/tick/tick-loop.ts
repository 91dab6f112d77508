import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, NewRun } from '#database';
import type { Logger } from 'pino';
import { Loop } from '../loop.js';
import { ComingCrowd } from './coming-crowd.js';
import type { Tick } from './tick.js';

export interface TickLoopOptions {
  intervalMs: number;
  /** How long before a second what is clear is admitted. */
  aheadMs: number;
}

/** A row that was locked when the tick came by is free again within milliseconds: looked for this often, this many times. */
const AGAIN = { afterMs: 10, times: 40 };
/** So long before their second the queue is told of runs: workers have them at hand when it comes. */
const AT_HAND_MS = 60;

/** Wakes at every second boundary of the database's clock. Any number of these run side by side, without a leader. */
export class TickLoop extends Loop {
  private readonly crowd: ComingCrowd;

  constructor(
    private readonly tick: Tick,
    private readonly clock: Clock,
    private readonly when: TickLoopOptions,
    private readonly logger: Logger,
  ) {
    super({ name: 'the tick', delay: () => this.delay(), work: () => this.tickAll() }, logger);
    this.crowd = new ComingCrowd(tick, (second) => this.comes(second - AT_HAND_MS), logger);
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.crowd.end();
  }

  private get next(): number {
    const { intervalMs } = this.when;
    return (Math.floor(this.clock.now() / intervalMs) + 1) * intervalMs;
  }

  private delay(): number {
    return Math.max(0, Math.ceil(this.next - this.when.aheadMs - this.clock.now()));
  }

  private async tickAll(): Promise<void> {
    if (this.when.aheadMs > 0) await this.admitAhead(this.next);
    await this.tick.runOnce();
    for (let i = 0; i < AGAIN.times && this.isRunning && (await this.tick.leftBehind()); i++) {
      await pause(AGAIN.afterMs);
      await this.tick.runOnce();
    }
    if (this.when.aheadMs > 0) await this.crowd.look(this.next);
  }

  /** What is committed is announced, also when the rest failed: that is left to the tick. */
  private async admitAhead(second: number): Promise<void> {
    const runs: NewRun[] = [];
    await this.tick.admitAhead(second, runs).catch((error: unknown) => {
      this.logger.debug({ err: error }, 'what could not be admitted ahead is admitted in its second');
    });
    await this.comes(second - AT_HAND_MS);
    if (runs.length > 0) await this.tick.announce(runs);
    await this.comes(second);
  }

  private async comes(moment: number): Promise<void> {
    for (let early = this.early(moment); early > 0; early = this.early(moment))
      await pause(early, null, { ref: false });
  }

  private early(moment: number): number {
    return Math.ceil(moment - this.clock.now());
  }
}
