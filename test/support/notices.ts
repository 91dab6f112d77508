import { createHash, createHmac } from 'node:crypto';
import type { RecordedCall } from '#testing';

/**
 * Checks a signature as a receiver would who has read docs/notices.md and nothing else: written apart from the product's own
 * signing, on purpose.
 */
export function isSignedWith(sk: string, call: RecordedCall): { own: boolean; standard: boolean } {
  const one = (name: string) => String(call.headers[name] ?? '');
  const [path, query = ''] = call.url.split('?', 2);
  const bodyHash = createHash('sha256').update(Buffer.from(call.body)).digest('hex');
  const lines = ['PUNCTUAL-HMAC-SHA256', call.method, path, query, bodyHash];
  const text = [...lines, one('x-punctual-timestamp'), one('x-punctual-nonce')].join('\n');
  const expected = `v1=${createHmac('sha256', sk).update(text).digest('hex')}`;
  const standardText = `${one('webhook-id')}.${one('webhook-timestamp')}.${call.body}`;
  const standard = `v1,${createHmac('sha256', sk).update(standardText).digest('base64')}`;
  return {
    own: one('x-punctual-signature').split(',').includes(expected),
    standard: one('webhook-signature').split(' ').includes(standard),
  };
}

export const bodyOf = (call: RecordedCall) => JSON.parse(call.body) as Record<string, unknown>;
