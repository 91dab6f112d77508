import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from './classify.js';
import { closeExecution, type Closing, type ClosingFacts } from './close-execution.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

const facts = (some: Partial<ClosingFacts> = {}): ClosingFacts => ({
  retryPolicy: { strategy: 'fixed', interval_seconds: 5 },
  needManual: false,
  attempt: 1,
  maxAttempts: 3,
  httpStatus: null,
  retryAfter: undefined,
  ...some,
});

const success: Verdict = { kind: 'success' };
const canceled: Verdict = { kind: 'canceled' };
const timeout: Verdict = { kind: 'timeout', errorInfo: 'timed out' };
const reported = (retryable: boolean): Verdict => ({
  ...{ kind: 'failed', errorCode: 'CALLBACK_FAILURE', errorInfo: 'broken', retryable },
});
const failed = (errorCode: string): Verdict => ({ kind: 'failed', errorCode, errorInfo: 'went wrong' });

const shown = (closing: Closing): string =>
  closing.status === 'RETRYING' ? `RETRYING in ${(closing.retryAt - NOW) / 1000} s` : closing.status;

const closes = (verdict: Verdict, some: Partial<ClosingFacts> = {}) => closeExecution(verdict, facts(some), NOW, 0.5);

const last = { attempt: 3 };
const refused = { httpStatus: 404 };
const away = { httpStatus: 503 };

describe('closeExecution', () => {
  it.each<[string, Verdict, Partial<ClosingFacts>, string]>([
    ['a success closes the run', success, {}, 'SUCCESS'],
    ['a success of the last attempt is one as well', success, last, 'SUCCESS'],
    ['a success needs nobody’s help', success, { needManual: true }, 'SUCCESS'],
    ['a server’s error is tried again', failed('HTTP_503'), away, 'RETRYING in 5 s'],
    ['a server may ask for more time', failed('HTTP_503'), { ...away, retryAfter: '60' }, 'RETRYING in 60 s'],
    ['a refusal is final', failed('HTTP_404'), refused, 'FAILED'],
    ['an accepted call waits', { kind: 'accepted' }, {}, 'WAITING_CALLBACK'],
    ['what the target reports is tried again', reported(true), {}, 'RETRYING in 5 s'],
    ['… as long as attempts are left', reported(true), last, 'FAILED'],
    ['… unless it says otherwise', reported(false), {}, 'FAILED'],
    ['the network is tried again', failed('NETWORK'), {}, 'RETRYING in 5 s'],
    ['a timeout is tried again', timeout, {}, 'RETRYING in 5 s'],
    ['the last failure closes the run', failed('HTTP_503'), { ...away, ...last }, 'FAILED'],
    ['the last timeout closes the run as one', timeout, last, 'TIMEOUT'],
    [
      'without a policy the first failure is the last',
      failed('NETWORK'),
      { retryPolicy: { strategy: 'none' } },
      'FAILED',
    ],
    ['a blocked address is not tried again', failed('ADDRESS_BLOCKED'), {}, 'FAILED'],
    ['a redirect is not tried again', failed('REDIRECT'), { httpStatus: 302 }, 'FAILED'],
    [
      '… unless the task says so',
      failed('REDIRECT'),
      { httpStatus: 302, retryPolicy: { strategy: 'fixed', interval_seconds: 5, max_attempts: 3, retry_on: [302] } },
      'RETRYING in 5 s',
    ],
    ['a task that is gone is not tried again', failed('TASK_GONE'), {}, 'FAILED'],
    ['a person is asked when attempts run out', failed('NETWORK'), { ...last, needManual: true }, 'PENDING'],
    ['a person is asked after the last timeout too', timeout, { ...last, needManual: true }, 'PENDING'],
    ['nobody is asked while attempts are left', failed('NETWORK'), { needManual: true }, 'RETRYING in 5 s'],
    ['an interrupted call is tried again at once', canceled, {}, 'RETRYING in 0 s'],
    ['an interrupted last attempt fails', canceled, last, 'FAILED'],
    ['an interrupted call that must not run twice is not tried again', canceled, { onNodeLost: 'FAIL' }, 'FAILED'],
    ['one that failed is, all the same', failed('NETWORK'), { onNodeLost: 'FAIL' }, 'RETRYING in 5 s'],
    ['a person is asked after an interrupted last attempt', canceled, { ...last, needManual: true }, 'PENDING'],
  ])('%s', (_title, verdict, some, expected) => {
    expect(shown(closes(verdict, some))).toBe(expected);
  });

  it('says what went wrong, whether or not it is tried again', () => {
    const told = { errorCode: 'NETWORK', errorInfo: 'went wrong' };
    expect(closes(failed('NETWORK'))).toMatchObject({ status: 'RETRYING', ...told });
    expect(closes(failed('NETWORK'), last)).toEqual({ status: 'FAILED', ...told });
    expect(closes(timeout, last)).toEqual({ status: 'TIMEOUT', errorCode: 'TIMEOUT', errorInfo: 'timed out' });
    expect(closes(canceled, last)).toMatchObject({
      errorCode: 'NODE_LOST',
      errorInfo: expect.stringContaining('attempt 3'),
    });
  });

  it('never tries again after the last attempt, and never in the past', () => {
    const verdicts = fc.constantFrom(
      success,
      canceled,
      timeout,
      failed('NETWORK'),
      failed('HTTP_503'),
      failed('HTTP_404'),
    );
    const given = fc.record({
      attempt: fc.integer({ min: 1, max: 6 }),
      maxAttempts: fc.integer({ min: 1, max: 6 }),
      httpStatus: fc.constantFrom(null, 404, 429, 503),
      needManual: fc.boolean(),
      retryAfter: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(
      fc.property(verdicts, given, fc.double({ min: 0, max: 0.999, noNaN: true }), (verdict, some, random) => {
        const closing = closeExecution(verdict, facts(some), NOW, random);
        if (closing.status === 'RETRYING') {
          expect(some.attempt).toBeLessThan(some.maxAttempts);
          expect(closing.retryAt).toBeGreaterThanOrEqual(NOW);
        }
        expect(closing.status === 'PENDING').toBe(
          closing.status !== 'SUCCESS' && closing.status !== 'RETRYING' && some.needManual,
        );
      }),
    );
  });
});
