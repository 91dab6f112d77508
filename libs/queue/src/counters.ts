/** One window of time of a count. */
export interface CountWindow {
  name: string;
  /** Its beginning and its length, in milliseconds. */
  start: number;
  lengthMs: number;
}

/**
 * Counts what all processes do together, for as long as a window of time lasts. For limits only: a count may be lost with the
 * server that keeps it.
 */
export interface Counters {
  /** Adds to the count of that window, and gives what it is then. Throws when the server is away. */
  add(window: CountWindow, amount: number): Promise<number>;
}
