import { setTimeout as pause } from 'node:timers/promises';

/** A server that takes longer counts as away: whoever looks must not wait for it. */
const PATIENCE_MS = 1_000;
/** However many look, and however often: this is how long an answer serves. */
const KEEP_MS = 5_000;

/** How long a server takes to answer the smallest question. Asked only when somebody looks, and once at a time. */
export class RoundTrip {
  private seconds: number | undefined;
  private askAt = -Infinity;
  private open = false;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly now: () => number = () => performance.now(),
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Undefined: there was no answer, or none in time. */
  async read(): Promise<number | undefined> {
    if (this.now() >= this.askAt) this.asking ??= this.measure().finally(() => (this.asking = undefined));
    await this.asking;
    return this.seconds;
  }

  private async measure(): Promise<void> {
    // A question that is still open is not asked again: a silent server must not get a heap of them.
    if (!this.open) this.seconds = await Promise.race([this.answer(), this.late()]);
    this.askAt = this.now() + KEEP_MS;
  }

  private async answer(): Promise<number | undefined> {
    const began = this.now();
    this.open = true;
    try {
      await this.ask();
      return (this.now() - began) / 1000;
    } catch {
      return undefined;
    } finally {
      this.open = false;
    }
  }

  private late(): Promise<undefined> {
    return pause(this.patienceMs, undefined, { ref: false });
  }
}
