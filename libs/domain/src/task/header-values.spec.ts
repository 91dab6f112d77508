import { describe, expect, it } from '@jest/globals';
import { type HeaderValues, keepSecretHeaders, movedSecrets, shownHeaders } from './index.js';

const MASK = { secret: true } as const;

describe('the headers of a task', () => {
  it('are shown without their secrets, whoever marked them', () => {
    expect(shownHeaders({ A: 'x', B: { sealed: 'v1' }, Authorization: 'old', 'X-Api-Key': { sealed: 'v1' } })).toEqual({
      ...{ A: 'x', B: MASK, Authorization: MASK, 'X-Api-Key': MASK },
    });
    expect(shownHeaders(null)).toBeNull();
  });

  it('keep a stored secret where its mask is sent back, whatever the case of its name', () => {
    const stored = { Authorization: { sealed: 'a' }, 'X-B': { sealed: 'b' }, 'X-C': 'c' };
    expect(keepSecretHeaders(stored, { authorization: MASK, 'X-B': 'new', 'X-New': MASK })).toEqual({
      ...{ authorization: { sealed: 'a' }, 'X-B': 'new', 'X-New': MASK },
    });
    expect(keepSecretHeaders(null, { A: MASK })).toEqual({ A: MASK });
  });

  it('named __proto__ stay headers', () => {
    const odd = JSON.parse('{"__proto__":"x"}') as HeaderValues;
    expect(Object.keys(shownHeaders(odd)!)).toEqual(['__proto__']);
  });
});

describe('movedSecrets', () => {
  const headersJson = { Authorization: { sealed: 'a' }, 'X-Plain': 'p' };
  const at = (targetUrl: string | null) => ({ targetUrl, headersJson });

  it.each([
    ['the same host', 'https://a.test/x', 'https://a.test/y?z', undefined, 0],
    ['another host', 'https://a.test/x', 'https://b.test/x', undefined, 1],
    ['another port', 'https://a.test/x', 'https://a.test:8443/x', undefined, 1],
    ['without encryption', 'https://a.test/x', 'http://a.test/x', undefined, 1],
    ['another host, the mask sent back', 'https://a.test/', 'https://b.test/', { Authorization: MASK }, 1],
    ['another host, given again', 'https://a.test/', 'https://b.test/', { Authorization: 'x' }, 0],
    ['another host, marked again', 'https://a.test/', 'https://b.test/', { Authorization: { secret: 'x' } }, 0],
    ['no host any more', 'https://a.test/', null, undefined, 1],
  ])('%s', (_title, from, to, given, problems) => {
    const found = movedSecrets(at(from), at(to), given);
    expect(found.map(({ field }) => field)).toEqual(Array<string>(problems).fill('headers_json.Authorization'));
  });
});
