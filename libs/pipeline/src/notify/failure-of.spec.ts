import { describe, expect, it } from '@jest/globals';
import type { CallOutcome } from '#domain';
import { failureOf } from './failure-of.js';

const answer = (status: number, body = '', headers: Record<string, string> = {}): CallOutcome => ({
  ...{ kind: 'response', status, headers, body, bodyEncoding: 'text', bodyBytes: body.length, truncated: false },
  ...{ retryAfter: headers['retry-after'], timings: { totalMs: 1, headersMs: 1 } },
});

describe('failureOf', () => {
  it.each([200, 201, 204, 299])('%i acknowledges', (status) => expect(failureOf(answer(status))).toBeNull());

  it.each([
    [301, 'the receiver answered 301; redirects are not followed'],
    [404, 'the receiver answered 404'],
    [500, 'the receiver answered 500'],
  ])('%i does not', (status, error) => {
    expect(failureOf(answer(status))).toEqual({ httpStatus: status, retryAfter: undefined, error });
  });

  it('keeps what the receiver said, within bounds, and what it asked for', () => {
    const failure = failureOf(answer(429, ` slow down\0 ${'x'.repeat(5_000)}`, { 'retry-after': '7' }));
    expect(failure).toMatchObject({ httpStatus: 429, retryAfter: '7' });
    expect(failure?.error).toMatch(/^the receiver answered 429: slow down\ufffd x+$/);
    expect(failure?.error).toHaveLength(1_000);
  });

  it('a call that came to nothing has no status', () => {
    const timings = { totalMs: 1 };
    const timeout = failureOf({ kind: 'timeout', phase: 'headers', timings });
    expect(timeout).toMatchObject({ httpStatus: null });
    expect(failureOf({ kind: 'error', code: 'ECONNREFUSED', message: 'refused', timings })?.httpStatus).toBeNull();
    expect(failureOf(new Error('no key'))).toEqual({ httpStatus: null, retryAfter: undefined, error: 'no key' });
  });
});
