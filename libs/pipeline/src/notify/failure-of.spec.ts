import { describe, expect, it } from '@jest/globals';
import { AxiosError, AxiosHeaders, type InternalAxiosRequestConfig } from 'axios';
import { failureOf } from './failure-of.js';

const config: InternalAxiosRequestConfig = { headers: new AxiosHeaders() };

function refusal(status: number, data: unknown = '', headers: Record<string, string | string[]> = {}): AxiosError {
  const response = { status, statusText: '', data, headers: new AxiosHeaders(headers), config };
  return new AxiosError(`the target answered ${status}`, AxiosError.ERR_BAD_REQUEST, config, undefined, response);
}

describe('failureOf', () => {
  it.each([301, 404, 500])('%i is told as the answer of a receiver', (status) => {
    const error = `the receiver answered ${status}`;
    expect(failureOf(refusal(status))).toEqual({ httpStatus: status, retryAfter: undefined, error });
  });

  it('keeps what the receiver said, within bounds, and what it asked for', () => {
    const failure = failureOf(refusal(429, ` slow down\0 ${'x'.repeat(5_000)}`, { 'retry-after': '7' }));
    expect(failure).toMatchObject({ httpStatus: 429, retryAfter: '7' });
    expect(failure.error).toMatch(/^the receiver answered 429: slow down\ufffd x+$/);
    expect(failure.error).toHaveLength(1_000);
  });

  it('says nothing of an answer that is not text, and takes the first of two Retry-After', () => {
    const failure = failureOf(refusal(503, Buffer.from([1, 255]), { 'retry-after': ['7', '9'] }));
    expect(failure).toEqual({ httpStatus: 503, retryAfter: '7', error: 'the receiver answered 503' });
  });

  it.each([
    ['the target refused the connection (ECONNREFUSED)', 'the receiver refused the connection (ECONNREFUSED)'],
    [
      "timed out after 9 ms waiting for the target's response",
      "timed out after 9 ms waiting for the receiver's response",
    ],
  ])('a call that came to nothing has no status: %s', (message, error) => {
    const failure = failureOf(new AxiosError(message, 'ANY', config));
    expect(failure).toEqual({ httpStatus: null, retryAfter: undefined, error });
  });

  it('what could not be sent at all is told as it is', () => {
    expect(failureOf(new Error('no key'))).toEqual({ httpStatus: null, retryAfter: undefined, error: 'no key' });
  });
});
