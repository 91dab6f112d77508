import { createHash } from 'node:crypto';

/** Chance that can be repeated: the same seed gives the same numbers, on any machine. */
export class Random {
  constructor(private state: number) {}

  /** A stream of its own for each scenario: one that is left out or added changes none of the others. */
  static of(seed: number, ...names: (string | number)[]): Random {
    const digest = createHash('sha256')
      .update([seed, ...names].join('|'))
      .digest();
    return new Random(digest.readUInt32LE(0));
  }

  /** From 0 to 1, without 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)];
  }
}
