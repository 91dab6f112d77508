import { describe, expect, it } from '@jest/globals';
import type { CallOutcome } from '../settle/call-outcome.js';
import { REDACTED, redactSecrets } from './index.js';
import { tellingForms } from './redact-secrets.js';

const decode = (text: string) => Buffer.from(text, 'base64').toString('latin1');
const timings = { totalMs: 1, headersMs: 1 } as never;
const replied = (fields: object): CallOutcome =>
  ({ kind: 'response', status: 200, headers: {}, body: '', bodyEncoding: 'text', timings, ...fields }) as never;

const clean = (value: string, outcome: CallOutcome) =>
  redactSecrets(
    { call: { url: 'http://h/x', headers: { 'x-a': 'seen', 'x-s': value }, body: `b ${value}` }, outcome },
    ['x-s'],
    decode,
  );

describe('redactSecrets', () => {
  it('masks the header, and what repeats it in the call', () => {
    const { call } = clean('Bearer 0123456789', replied({}));
    expect(call).toEqual({ url: 'http://h/x', headers: { 'x-a': 'seen', 'x-s': REDACTED }, body: `b ${REDACTED}` });
  });

  it.each<[string, object, object]>([
    ['a body', { body: '{"got":"Bearer 0123456789"}' }, { body: `{"got":"${REDACTED}"}` }],
    ['a body that has the credentials alone', { body: 'token=0123456789!' }, { body: `token=${REDACTED}!` }],
    ['a body that was cut off in it', { body: 'long Bearer 01234567' }, { body: `long ${REDACTED}` }],
    ['headers', { headers: { a: ['x', '0123456789'] } }, { headers: { a: ['x', REDACTED] } }],
    [
      'bytes',
      { bodyEncoding: 'base64', body: Buffer.from('\0Bearer 0123456789').toString('base64') },
      { bodyEncoding: 'text', body: REDACTED },
    ],
  ])('removes it from %s', (_title, given, expected) => {
    expect(clean('Bearer 0123456789', replied(given)).outcome).toMatchObject(expected);
  });

  it('finds a value with quotes in JSON, and does not break what it stands in', () => {
    const value = 'Digest user="a", key="0123"';
    const { outcome } = clean(value, replied({ body: JSON.stringify({ h: value }), headers: { e: `<${value}>` } }));
    expect(outcome).toMatchObject({ body: `{"h":"${REDACTED}"}`, headers: { e: `<${REDACTED}>` } });
  });

  it('cleans the words of an error', () => {
    const failed = { kind: 'error', code: 'X', message: 'no 0123456789', timings } as never;
    expect(clean('0123456789', failed).outcome).toMatchObject({ message: `no ${REDACTED}` });
  });

  it('leaves alone what could stand there by chance, but never shows the header itself', () => {
    for (const value of ['1', 'enabled', 'production']) {
      const { call, outcome } = clean(value, replied({ body: `is ${value}` }));
      expect([call.headers['x-s'], outcome]).toMatchObject([REDACTED, { body: `is ${value}` }]);
    }
    expect(tellingForms('Bearer x')).toEqual(['Bearer x']);
  });
});
