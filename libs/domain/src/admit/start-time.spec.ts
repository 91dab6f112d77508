import { describe, expect, it } from '@jest/globals';
import { isCold, startsAt, startTimeProblem } from './start-time.js';

const at = (time: string) => Date.parse(time);
const NOW = at('2026-11-16T12:00:00Z');

describe('the start time of a run on demand', () => {
  it('is now unless it is given, or when it has passed', () => {
    expect(startsAt(undefined, NOW)).toBe(NOW);
    expect(startsAt(NOW - 1, NOW)).toBe(NOW);
    expect(startsAt(0, NOW)).toBe(NOW);
    expect(startsAt(NOW + 1, NOW)).toBe(NOW + 1);
  });

  it('may be a year ahead and not a millisecond more', () => {
    expect(startTimeProblem(at('2027-11-16T12:00:00.000Z'), NOW)).toBeNull();
    expect(startTimeProblem(at('2027-11-16T12:00:00.001Z'), NOW)).toMatch(/a year/);
    expect(startTimeProblem(0, NOW)).toBeNull();
  });

  it('counts a year by the calendar, also from a 29 February', () => {
    expect(startTimeProblem(at('2028-03-01T00:00:00Z'), at('2027-03-01T00:00:00Z'))).toBeNull();
    expect(startTimeProblem(at('2029-03-01T00:00:00Z'), at('2028-02-29T00:00:00Z'))).toBeNull();
    expect(startTimeProblem(at('2029-03-01T00:00:01Z'), at('2028-02-29T00:00:00Z'))).not.toBeNull();
  });

  it('leaves a run cold when it is more than two seconds ahead', () => {
    expect(isCold(NOW, NOW)).toBe(false);
    expect(isCold(NOW + 2_000, NOW)).toBe(false);
    expect(isCold(NOW + 2_001, NOW)).toBe(true);
  });
});
