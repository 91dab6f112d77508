import { describe, expect, it } from '@jest/globals';
import type { AdmitFacts } from './admit.js';
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

  describe('leaves a run cold', () => {
    const free: AdmitFacts = {
      ...{ activeRuns: 0, queuedRuns: 0, maxConcurrency: 0, concurrencyPolicy: 'QUEUE', queueLimit: 0 },
      ...{ overlapAction: 'ALLOW', failureAction: 'RUN_NEW', failedTickAttempt: null, failureSkipped: false },
    };

    it.each<[string, Partial<AdmitFacts>, number]>([
      ['takes a slot of few', { maxConcurrency: 9 }, 0],
      ['takes one of any number', {}, 2_000],
      ['takes one of any number by its policy', { maxConcurrency: 1, concurrencyPolicy: 'PARALLEL' }, 2_000],
      ['would be seen by ticks that skip', { overlapAction: 'SKIP' }, 0],
      ['would be cancelled by ticks', { overlapAction: 'CANCEL_PREV' }, 0],
      ['is nothing to ticks', { overlapAction: 'PARALLEL' }, 2_000],
    ])('that %s', (_title, policies, hotMs) => {
      const task = { ...free, ...policies };
      expect(isCold(NOW + hotMs, NOW, task)).toBe(false);
      expect(isCold(NOW + hotMs + 1, NOW, task)).toBe(true);
    });
  });
});
