import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoTime, timeWriter } from './time-text.js';

/** As far as a Date goes. */
const EDGE = 8.64e15;

describe('the text of a time', () => {
  it('is that of toISOString, for every time that has one', () => {
    const time = fc.oneof(
      fc.double({ min: -EDGE, max: EDGE, noNaN: true }),
      fc.double({ min: 1.79e12, max: 1.79e12 + 5_000, noNaN: true }),
      fc.constantFrom(0, -0, -0.5, -1, -1000, 999, 999.9, 1000, EDGE, -EDGE),
    );
    fc.assert(
      fc.property(time, (ms) => expect(isoTime(ms)).toBe(new Date(ms).toISOString())),
      { numRuns: 2_000 },
    );
  });

  it('has its own separator and end', () => {
    expect(timeWriter(' ', '')(1_700_000_000_007.9)).toBe('2023-11-14 22:13:20.007');
  });

  it('is refused where there is none', () => {
    for (const none of [NaN, Infinity, EDGE + 1_000]) expect(() => isoTime(none)).toThrow(RangeError);
  });
});
