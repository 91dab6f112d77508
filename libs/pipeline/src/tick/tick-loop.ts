import type { DatabaseClock } from '#database';
import type { Logger } from 'pino';
import type { Tick } from './tick.js';

export interface TickLoopOptions {
  intervalMs: number;
}

/** A row that was locked when the tick came by is free again within milliseconds: looked for this often, this many times. */
const AGAIN = { afterMs: 10, times: 40 };
const MEASURE_EVERY_MS = 30_000;

/** Wakes at every second boundary of the database's clock. Any number of these run side by side, without a leader. */
export class TickLoop {
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private stopped = true;
  private measuredAt = -Infinity;
  private failing = false;

  constructor(
    private readonly tick: Tick,
    private readonly clock: DatabaseClock,
    private readonly options: TickLoopOptions,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.stopped = false;
    this.sleep();
  }

  /** Finishes the batch it is in. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.working;
  }

  /** Runs everything due, once; what stands in the way is logged, and the next second tries again. */
  async runOnce(): Promise<void> {
    try {
      await this.measureClock();
      await this.tick.runOnce();
      for (let i = 0; i < AGAIN.times && !this.stopped && (await this.tick.leftBehind()); i++) {
        await new Promise((done) => setTimeout(done, AGAIN.afterMs));
        await this.tick.runOnce();
      }
      if (this.failing) this.log.info('ticking again');
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.log.error({ err: error }, 'a tick failed: due seconds wait in the database');
      this.failing = true;
    }
  }

  private sleep(): void {
    if (this.stopped) return;
    const { intervalMs } = this.options;
    const untilBoundary = intervalMs - (this.clock.now() % intervalMs);
    this.timer = setTimeout(() => this.wake(), Math.ceil(untilBoundary));
  }

  private wake(): void {
    this.working = this.runOnce().then(() => this.sleep());
  }

  private async measureClock(): Promise<void> {
    const now = performance.now();
    if (now - this.measuredAt < MEASURE_EVERY_MS) return;
    await this.clock.measure();
    this.measuredAt = now;
  }
}
