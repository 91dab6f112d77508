import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RetryPolicy } from '../task/retry-policy.js';
import { type FailedAttempt, nextRetry } from './next-retry.js';
import { retryAfterMs } from './retry-after.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const failed = (some: Partial<FailedAttempt> = {}): FailedAttempt => ({
  kind: 'status',
  httpStatus: 503,
  retryAfter: undefined,
  attempt: 1,
  maxAttempts: 5,
  ...some,
});
const delay = (policy: RetryPolicy, some: Partial<FailedAttempt> = {}, random = 0.5) => {
  const verdict = nextRetry(policy, failed(some), NOW, random);
  return verdict.kind === 'retry' ? verdict.delayMs / 1000 : 'give up';
};
const fixed: RetryPolicy = { strategy: 'fixed', interval_seconds: 5 };

describe('nextRetry', () => {
  it.each<[string, RetryPolicy, Partial<FailedAttempt>, number | 'give up']>([
    ['none never retries', { strategy: 'none' }, {}, 'give up'],
    ['fixed waits its interval', fixed, { attempt: 3 }, 5],
    ['the last attempt is the last', fixed, { attempt: 5 }, 'give up'],
    ['a sequence waits its steps', { strategy: 'sequence', sequence_seconds: [1, 5, 30] }, { attempt: 2 }, 5],
    ['the last step of a sequence repeats', { strategy: 'sequence', sequence_seconds: [1, 5] }, { attempt: 4 }, 5],
    ['exponential doubles', { strategy: 'exponential', interval_seconds: 2 }, { attempt: 4 }, 16],
    [
      'exponential stops at its ceiling',
      { strategy: 'exponential', interval_seconds: 2, max_interval_seconds: 10 },
      { attempt: 4 },
      10,
    ],
    [
      'a sequence stops at its ceiling',
      { strategy: 'sequence', sequence_seconds: [1, 600], max_interval_seconds: 60 },
      { attempt: 2 },
      60,
    ],
    ['fixed stops at its ceiling', { ...fixed, max_interval_seconds: 3 }, {}, 3],
    [
      'exponential without a ceiling grows to an hour',
      { strategy: 'exponential' },
      { attempt: 20, maxAttempts: 30 },
      3600,
    ],
    [
      'exponential without a ceiling waits no less than its interval',
      { strategy: 'exponential', interval_seconds: 7200 },
      { attempt: 2 },
      7200,
    ],
    ['404 is not retried by default', fixed, { httpStatus: 404 }, 'give up'],
    ['429 is retried by default', fixed, { httpStatus: 429 }, 5],
    ['a timeout is retried by default', fixed, { kind: 'timeout', httpStatus: null }, 5],
    ['retry_on decides alone', { ...fixed, retry_on: ['4xx'] }, { httpStatus: 500 }, 'give up'],
    ['retry_on takes status codes', { ...fixed, retry_on: [404] }, { httpStatus: 404 }, 5],
    ['a blocked address is never retried', fixed, { kind: 'other', httpStatus: null }, 'give up'],
    ['Retry-After is honoured', fixed, { retryAfter: '60' }, 60],
    ['Retry-After does not shorten the interval', fixed, { retryAfter: '1' }, 5],
    ['Retry-After is capped by the ceiling', { ...fixed, max_interval_seconds: 20 }, { retryAfter: '60' }, 20],
    ['Retry-After may be a date', fixed, { retryAfter: 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30],
    ['… as it used to be written', fixed, { retryAfter: 'Thursday, 01-Jan-26 00:00:30 GMT' }, 30],
    ['… or as C writes it', fixed, { retryAfter: 'Thu Jan  1 00:00:30 2026' }, 30],
    ['… but not as anybody likes', fixed, { retryAfter: '2026-01-01T00:00:30Z' }, 5],
    ['Retry-After may be any number', { ...fixed, max_interval_seconds: 20 }, { retryAfter: '9'.repeat(400) }, 20],
  ])('%s', (_title, policy, some, expected) => {
    expect(delay(policy, some)).toBe(expected);
  });

  it('jitter spreads evenly around the interval', () => {
    const policy = { ...fixed, jitter: 0.2 };
    expect([delay(policy, {}, 0), delay(policy, {}, 0.5), delay(policy, {}, 0.999)]).toEqual([4, 5, 5.998]);
  });

  it('jitter at the ceiling spreads below it, as evenly', () => {
    const policy: RetryPolicy = { strategy: 'exponential', interval_seconds: 2, max_interval_seconds: 12, jitter: 0.5 };
    const at = (random: number) => delay(policy, { attempt: 4 }, random);
    expect([at(0), at(0.5), at(1)]).toEqual([4, 8, 12]);
  });

  it('no pause is longer than the ceiling, whatever the policy, the target and chance say', () => {
    const strategy = fc.constantFrom('fixed', 'sequence', 'exponential');
    const seconds = fc.integer({ min: 1, max: 100_000 });
    const policies = fc.record({
      ...{ strategy, interval_seconds: seconds, max_interval_seconds: seconds },
      ...{
        sequence_seconds: fc.array(seconds, { minLength: 1, maxLength: 4 }),
        jitter: fc.double({ min: 0, max: 1, noNaN: true }),
      },
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 99 }), seconds, random, (policy, attempt, retryAfter, chance) => {
        const some = { attempt, maxAttempts: 100, retryAfter: String(retryAfter) };
        expect(delay(policy as RetryPolicy, some, chance)).toBeLessThanOrEqual(policy.max_interval_seconds);
      }),
    );
  });

  it('never waits less than nothing, whatever the target says', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(retryAfterMs(text, NOW) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
