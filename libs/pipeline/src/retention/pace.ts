import { setTimeout as pause } from 'node:timers/promises';

export interface PaceOptions {
  /** Most rows one pass retires. */
  mostRows: number;
  /** How long a batch is rested for, as a multiple of what it took. */
  rest: number;
}

const SHORTEST_REST_MS = 10;
/** A batch that met a busy database is not rested for longer. */
const LONGEST_REST_MS = 1_000;

/** How much one pass may do, and how gently: the database is there for those who are on time. */
export class Pace {
  private left: number;
  private stopped = false;

  constructor(private readonly options: PaceOptions) {
    this.left = options.mostRows;
  }

  /** Whether there is room for another batch. */
  get goesOn(): boolean {
    return this.left > 0 && !this.stopped;
  }

  stop(): void {
    this.stopped = true;
  }

  /** Runs a batch, counts its rows, and rests. */
  async batch<Result>(work: () => Promise<Result>, rowsOf: (result: Result) => number): Promise<Result> {
    const began = performance.now();
    const result = await work();
    const rows = rowsOf(result);
    this.left -= rows;
    const took = performance.now() - began;
    if (rows > 0 && this.options.rest > 0)
      await pause(Math.min(LONGEST_REST_MS, Math.max(SHORTEST_REST_MS, took * this.options.rest)));
    return result;
  }
}
