import type { Logger } from 'pino';

export interface LoopOptions {
  /** For the log: what fails when it fails. */
  name: string;
  /** Milliseconds until the next round, asked anew after each. */
  delay(): number;
  work(): Promise<void>;
}

/** Work that comes again and again, one round at a time. A round that fails is said once, and the next one tries again. */
export class Loop {
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private running = false;
  private failing = false;

  constructor(
    private readonly options: LoopOptions,
    private readonly log: Logger,
  ) {}

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
    this.running = true;
    this.sleep();
  }

  /** Finishes the round it is in. */
  async stop(): Promise<void> {
    this.running = false;
    clearTimeout(this.timer);
    await this.working;
  }

  async runOnce(): Promise<void> {
    const { name } = this.options;
    try {
      await this.options.work();
      if (this.failing) this.log.info(`${name} works again`);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.log.warn({ err: error }, `${name} failed, trying again`);
      this.failing = true;
    }
  }

  private sleep(): void {
    if (!this.running) return;
    this.timer = setTimeout(() => {
      this.working = this.runOnce().then(() => this.sleep());
    }, this.options.delay());
  }
}
