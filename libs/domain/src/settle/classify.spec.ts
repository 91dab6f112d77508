import { describe, expect, it } from '@jest/globals';
import { type CallOutcome, type CallResponse, classifyResponse } from './index.js';

const response = (status: number, more: Partial<CallResponse> = {}): CallResponse => ({
  kind: 'response',
  status,
  headers: {},
  body: '',
  bodyEncoding: 'text',
  bodyBytes: 0,
  truncated: false,
  timings: { totalMs: 1, headersMs: 1 },
  ...more,
});
const error = (code: string, message = 'as the system says it'): CallOutcome => ({
  kind: 'error',
  code,
  message,
  timings: { totalMs: 1 },
});

describe('classifyResponse', () => {
  it.each([200, 201, 204, 299])('%d is success', (status) => {
    expect(classifyResponse(response(status))).toEqual({ kind: 'success' });
  });

  it('a body that was cut off does not change the verdict', () => {
    expect(classifyResponse(response(200, { truncated: true }))).toEqual({ kind: 'success' });
    expect(classifyResponse(response(500, { truncated: true }))).toMatchObject({ errorCode: 'HTTP_500' });
  });

  it.each([400, 404, 429, 500, 503])('%d is a failure named after it', (status) => {
    expect(classifyResponse(response(status))).toEqual({
      kind: 'failed',
      errorCode: `HTTP_${status}`,
      errorInfo: `the target answered ${status}`,
    });
  });

  it('a redirect is a failure that says where to, without the query', () => {
    const verdict = classifyResponse(response(302, { headers: { location: 'https://b.example/x?token=1' } }));
    expect(verdict).toEqual({
      kind: 'failed',
      errorCode: 'REDIRECT',
      errorInfo: 'the target answered 302 to https://b.example/x; redirects are not followed',
    });
    expect(classifyResponse(response(304))).toMatchObject({ errorCode: 'REDIRECT' });
  });

  it.each([
    ['connect', 'a connection to the target'],
    ['headers', "the target's response"],
    ['body', 'the end of the response body'],
  ] as const)('a timeout while in %s says so', (phase, words) => {
    const verdict = classifyResponse({ kind: 'timeout', phase, timings: { totalMs: 1000.4 } });
    expect(verdict).toEqual({ kind: 'timeout', errorInfo: `timed out after 1000 ms waiting for ${words}` });
  });

  it('an aborted call is canceled', () => {
    expect(classifyResponse({ kind: 'aborted', timings: { totalMs: 1 } })).toEqual({ kind: 'canceled' });
  });

  it.each([
    ['ECONNREFUSED', 'the target refused the connection (ECONNREFUSED)'],
    ['ENOTFOUND', "the target's host name does not exist (ENOTFOUND)"],
    ['ECONNRESET', 'the target reset the connection (ECONNRESET)'],
    ['UND_ERR_SOCKET', 'the target closed the connection before the response was complete (UND_ERR_SOCKET)'],
    ['CERT_HAS_EXPIRED', 'TLS: as the system says it (CERT_HAS_EXPIRED)'],
    ['HPE_INVALID_CONSTANT', 'the response is not valid HTTP (HPE_INVALID_CONSTANT)'],
    ['EWHATEVER', 'as the system says it (EWHATEVER)'],
    ['constructor', 'as the system says it (constructor)'],
  ])('%s is a network failure: %s', (code, errorInfo) => {
    expect(classifyResponse(error(code))).toEqual({ kind: 'failed', errorCode: 'NETWORK', errorInfo });
  });

  it.each(['ADDRESS_BLOCKED', 'INVALID_REQUEST'])('%s keeps its own code', (code) => {
    expect(classifyResponse(error(code, 'why'))).toEqual({ kind: 'failed', errorCode: code, errorInfo: 'why' });
  });
});
