import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TokenBucket } from './token-bucket.js';

/** Takes whatever there is every `step` milliseconds; gives the times of all calls. */
function callsOf(rate: number, forMs: number, step: number): number[] {
  const bucket = new TokenBucket(rate, 0);
  const calls: number[] = [];
  for (let now = 0; now <= forMs; now += step) {
    while (bucket.available(now) >= 1) {
      bucket.take();
      calls.push(now);
    }
  }
  return calls;
}

describe('TokenBucket', () => {
  it('lets a tenth of a second’s calls through at once, and the others as time goes by', () => {
    const calls = callsOf(100, 1_000, 10);
    expect(calls.filter((at) => at === 0)).toHaveLength(10);
    expect(calls).toHaveLength(110);
  });

  it('lets one call through at once when the rate is low', () => {
    expect(callsOf(2, 2_000, 10)).toEqual([0, 500, 1_000, 1_500, 2_000]);
  });

  it('saves nothing up while nobody calls', () => {
    const bucket = new TokenBucket(50, 0);
    expect(bucket.available(3_600_000)).toBe(5);
  });

  it('takes a call back that was not made', () => {
    const bucket = new TokenBucket(1, 0);
    bucket.take();
    expect(bucket.available(0)).toBe(0);
    bucket.giveBack();
    expect(bucket.available(0)).toBe(1);
  });

  it('is not confused by a clock that goes back', () => {
    const bucket = new TokenBucket(10, 1_000);
    bucket.take();
    expect(bucket.available(500)).toBe(0);
    expect(bucket.available(600)).toBeCloseTo(1);
  });

  it('never lets more than its rate and one burst through in any second', () => {
    const rates = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 120 }));
    fc.assert(
      fc.property(rates, ([rate, step]) => {
        const calls = callsOf(rate, 3_000, step);
        const within: number[] = [];
        for (const from of calls) {
          within.push(calls.filter((at) => at >= from && at < from + 1_000).length);
        }
        expect(Math.max(...within)).toBeLessThanOrEqual(Math.ceil(rate + Math.max(1, rate / 10)));
      }),
      { numRuns: 20 },
    );
  });
});
