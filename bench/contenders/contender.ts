import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from '../support/child.js';

/** One way to have calls made: how work is handed in, who does it, and how one knows that it is done. */
export interface Contender {
  readonly name: string;
  /** How many items it is given instead of the usual number, where that would take minutes. */
  readonly items?: number;
  /** What is there before the items are, outside of every measurement. */
  prepare?(count: number): Promise<void>;
  /** Hands in that many items as its users do. */
  handIn(count: number): Promise<void>;
  /** The same as a backlog, as fast as can be; where handing in is slow and not what is measured. */
  fill?(count: number): Promise<void>;
  startWorker(): Promise<Child>;
  /** Resolves when everything that was handed in is finished, and recorded where it is. Asked after the last call. */
  finished(): Promise<void>;
  /** Outside of every measurement: throws when something is not as `finished` says. */
  check?(): Promise<void>;
  /** Forgets everything. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function until(isTrue: () => Promise<boolean>, what: string, withinMs = 60_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(3);
  }
}

/** Does the work for each number up to `count`, so many at a time. */
export async function inLanes(count: number, lanes: number, work: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Numbers 0 to count − 1 in groups. */
export function* groups(count: number, size: number): Generator<number[]> {
  for (let at = 0; at < count; at += size) {
    yield Array.from({ length: Math.min(size, count - at) }, (_, i) => at + i);
  }
}
