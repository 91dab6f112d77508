import { setTimeout as pause } from 'node:timers/promises';

/** How long an answer serves: so long, and a hundred times as long as it took. */
const KEEP = { ms: 15_000, times: 100 };
/** A database that is away must not keep the other metrics from being read. */
const PATIENCE_MS = 1_000;

/** A number, or several, that is costly to find out. Asked at most once at a time, and for at most a hundredth of the time. */
export class RareCount<Answer = number> {
  private value: Answer | undefined;
  private askAt = -Infinity;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly count: () => Promise<Answer>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The last answer; undefined when there is none, or the last question failed. */
  async read(): Promise<Answer | undefined> {
    if (this.now() >= this.askAt) this.asking ??= this.ask();
    if (this.asking) await Promise.race([this.asking, pause(PATIENCE_MS, undefined, { ref: false })]);
    return this.value;
  }

  private async ask(): Promise<void> {
    const began = this.now();
    this.value = await this.count().catch(() => undefined);
    const ended = this.now();
    this.askAt = ended + Math.max(KEEP.ms, (ended - began) * KEEP.times);
    this.asking = undefined;
  }
}
