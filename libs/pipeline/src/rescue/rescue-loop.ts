import type { Logger } from 'pino';
import type { Rescue } from './rescue.js';

export interface RescueLoopOptions {
  intervalMs: number;
}

/** Rescue on a timer, spread a little so that many processes do not come at once. */
export class RescueLoop {
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private stopped = true;
  private failing = false;

  constructor(
    private readonly rescue: Rescue,
    private readonly options: RescueLoopOptions,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.stopped = false;
    this.sleep();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.working;
  }

  async runOnce(): Promise<void> {
    try {
      await this.rescue.runOnce();
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.log.warn({ err: error }, 'rescue could not look after overdue runs, trying again');
      this.failing = true;
    }
  }

  private sleep(): void {
    if (this.stopped) return;
    const spread = this.options.intervalMs * (0.8 + 0.4 * Math.random());
    this.timer = setTimeout(() => {
      this.working = this.runOnce().then(() => this.sleep());
    }, spread);
  }
}
