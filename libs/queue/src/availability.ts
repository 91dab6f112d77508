import { QueueAway, type QueueLog } from './backend.js';

/** A queue that has not answered by then counts as away. */
const ANSWER_MS = 2_000;
const PROBE_MS = 1_000;

/** Whether the queue is there. Turns a flood of connection errors into two lines in the log: gone, and back. */
export class Availability {
  private reason: string | null = null;

  constructor(
    private readonly name: string,
    private readonly log: QueueLog,
    /** Resolves when the queue answers again. */
    private readonly probe: () => Promise<unknown>,
  ) {}

  lost(error: unknown): void {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    if (this.reason === null) {
      this.log.warn({ reason }, `${this.name} is away: due runs wait in the database until it is back`);
    }
    this.reason = reason;
  }

  /** Why, has been said already, or nobody knows. */
  interrupted(): void {
    if (this.reason === null) this.lost(new Error('connection lost'));
  }

  found(): void {
    if (this.reason !== null) this.log.info({}, `${this.name} is back`);
    this.reason = null;
  }

  async ask<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.reason !== null) throw new QueueAway(`${this.name} is away: ${this.reason}`);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new QueueAway(`${this.name} did not answer within ${ANSWER_MS} ms`));
        this.silent();
      }, ANSWER_MS);
    });
    return Promise.race([work(), late]).finally(() => clearTimeout(timer));
  }

  /** Connected but mute: a question stays open, and its answer is the sign that it is back. */
  private silent(): void {
    this.lost(new Error('no answer'));
    const ask = (): void => {
      this.probe().then(
        () => this.found(),
        () => void setTimeout(ask, PROBE_MS).unref(),
      );
    };
    ask();
  }
}
