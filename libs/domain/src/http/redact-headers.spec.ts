import { describe, expect, it } from '@jest/globals';
import { REDACTED, redactHeaders } from './index.js';

describe('redactHeaders', () => {
  it.each([
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'set-cookie',
    'X-Api-Key',
    'apikey',
    'X-Auth',
    'X-Vault-Token',
    'X-Punctual-Callback-Token',
    'Client-Secret',
    'X-Password',
    'X-Hub-Signature-256',
    'X-Amz-Credential',
    'aws-access-key-id',
  ])('masks %s', (name) => {
    expect(redactHeaders({ [name]: 'hidden' })).toEqual({ [name]: REDACTED });
  });

  it.each(['Content-Type', 'X-Author', 'WWW-Authenticate', 'X-Punctual-Run-Id', 'Location', 'Key'])(
    'shows %s',
    (name) => {
      expect(redactHeaders({ [name]: 'seen' })).toEqual({ [name]: 'seen' });
    },
  );

  it('masks lists as a whole and leaves its input alone', () => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], vary: ['a', 'b'] };
    expect(redactHeaders(headers)).toEqual({ 'set-cookie': REDACTED, vary: ['a', 'b'] });
    expect(headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('keeps a header named __proto__ a header', () => {
    const headers = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(Object.keys(redactHeaders(headers))).toEqual(['__proto__']);
  });
});
