/** Sets of small numbers as bits of signed 32-bit integers, which V8 keeps unboxed. */

export const lowestBit = (set: number): number => 31 - Math.clz32(set & -set);

export const highestBit = (set: number): number => 31 - Math.clz32(set);

export function countBits(set: number): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** The smallest member at or above `from` (0–31), or -1. */
export function memberFrom(set: number, from: number): number {
  if (from > 31) return -1;
  const rest = set & (-1 << from);
  return rest === 0 ? -1 : lowestBit(rest);
}

/** The largest member at or below `to`, or -1. */
export function memberUpTo(set: number, to: number): number {
  if (to < 0) return -1;
  return highestBit(to >= 31 ? set : set & ((2 << to) - 1));
}

/** Members below `limit` (0–31). */
export const countBelow = (set: number, limit: number): number => countBits(set & ((1 << limit) - 1));

/** The same for 0–59, in two halves of thirty. */
export const HALF = 30;

export function sixtyFrom(low: number, high: number, from: number): number {
  if (from < HALF) {
    const member = memberFrom(low, from);
    if (member >= 0) return member;
  }
  const member = memberFrom(high, Math.max(from - HALF, 0));
  return member < 0 ? -1 : member + HALF;
}

export function sixtyUpTo(low: number, high: number, to: number): number {
  const member = memberUpTo(high, to - HALF);
  return member < 0 ? memberUpTo(low, to) : member + HALF;
}

export const sixtyBelow = (low: number, high: number, limit: number): number =>
  limit <= HALF ? countBelow(low, limit) : countBits(low) + countBelow(high, limit - HALF);
