import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { signatureHeaders, type SignedRequest, stringToSign } from './sign-notice.js';

interface Vector extends SignedRequest {
  about: string;
  sk: string;
  string_to_sign: string;
  x_punctual_signature: string;
  webhook_signature: string;
}

const FILE = path.resolve(import.meta.dirname, '../../../docs/notice-vectors.json');
const VECTORS = JSON.parse(readFileSync(FILE, 'utf8')) as Vector[];

describe('the signature of a notice', () => {
  it.each(VECTORS.map((vector) => [vector.about, vector] as const))('%s', (_about, vector) => {
    expect(stringToSign(vector)).toBe(vector.string_to_sign);
    expect(signatureHeaders(vector, 'team', [vector.sk])).toEqual({
      'x-punctual-access-key': 'team',
      'x-punctual-timestamp': String(vector.timestamp),
      'x-punctual-nonce': vector.nonce,
      'x-punctual-signature': vector.x_punctual_signature,
      'webhook-signature': vector.webhook_signature,
    });
  });

  it('of two keys each signs, the newer first', () => {
    const [{ sk, ...request }] = VECTORS;
    const [one, other] = [[sk], ['other']].map((keys) => signatureHeaders(request, null, keys));
    expect(signatureHeaders(request, null, [sk, 'other'])).toMatchObject({
      'x-punctual-signature': `${one['x-punctual-signature']},${other['x-punctual-signature']}`,
      'webhook-signature': `${one['webhook-signature']} ${other['webhook-signature']}`,
    });
  });

  it('changes with every part of the request', () => {
    const [{ sk, ...request }] = VECTORS;
    const signed = (change: Partial<SignedRequest>) =>
      signatureHeaders({ ...request, ...change }, null, [sk])['x-punctual-signature'];
    const changes = [
      {},
      { method: 'PUT' },
      { path: '/x' },
      { query: 'x' },
      { body: '' },
      { timestamp: 1 },
      { nonce: '' },
    ];
    expect(new Set(changes.map(signed)).size).toBe(changes.length);
  });
});
