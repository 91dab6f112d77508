import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jitterMs } from './jitter.js';

const taskIds = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const seconds = fc.integer({ min: 0, max: 9_999_999_999 });
const jitters = fc.integer({ min: 1, max: 3_600 });

/** How far from even: the fullest of ten equal parts, in shares of the mean. */
function fullest(values: number[], range: number): number {
  const parts = Array<number>(10).fill(0);
  for (const value of values) parts[Math.floor((value / range) * 10)]++;
  return Math.max(...parts) / (values.length / 10);
}

describe('jitterMs', () => {
  it('is nothing without jitter', () => {
    fc.assert(fc.property(taskIds, seconds, (task, second) => expect(jitterMs(task, second, 0)).toBe(0)));
  });

  it('is a whole number of milliseconds below the limit, for any task and time', () => {
    fc.assert(
      fc.property(taskIds, seconds, jitters, (task, second, jitter) => {
        const ms = jitterMs(task, second, jitter);
        expect(Number.isInteger(ms) && ms >= 0 && ms < jitter * 1000).toBe(true);
      }),
    );
  });

  it('is the same for the same task and tick, wherever it is worked out', () => {
    fc.assert(
      fc.property(taskIds, seconds, jitters, (task, second, jitter) => {
        expect(jitterMs(task, second, jitter)).toBe(jitterMs(BigInt(String(task)), second, jitter));
      }),
    );
    expect(jitterMs(42n, 1_767_225_600, 60)).toBe(jitterMs(42n, 1_767_225_600, 60));
  });

  it('spreads neighbouring tasks of one second evenly', () => {
    const values = Array.from({ length: 10_000 }, (_, i) => jitterMs(BigInt(i + 1), 1_767_225_600, 60));
    expect(fullest(values, 60_000)).toBeLessThan(1.15);
  });

  it('spreads the ticks of one task evenly, also when they come once an hour', () => {
    for (const step of [1, 60, 3_600]) {
      const values = Array.from({ length: 10_000 }, (_, i) => jitterMs(7n, 1_767_225_600 + i * step, 60));
      expect(fullest(values, 60_000)).toBeLessThan(1.15);
    }
  });
});
