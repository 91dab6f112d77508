import { describe, expect, it } from '@jest/globals';
import { inexactNumber, MAX_KEYS, unstorable } from './storable.js';

describe('what a database can store', () => {
  it.each<[string, unknown]>([
    ['plain JSON', { a: [1, 'x', null, true, { b: 'ü🙂' }] }],
    ['words that only look dangerous', { constructor: 'x', prototype: 'y' }],
    ['nothing', undefined],
  ])('%s', (_title, value) => expect(unstorable(value)).toBeNull());

  it.each<[string, unknown, string]>([
    ['NUL in a text', { a: ['ok', 'a\u0000b'] }, 'a[1]'],
    ['NUL in a key', JSON.parse('{"a":{"\\u0000":1}}'), 'a.\\u0000'],
    ['half a surrogate pair', { a: { b: '\ud83d' } }, 'a.b'],
    ['a prototype', JSON.parse('{"a":{"__proto__":1}}'), 'a.__proto__'],
    ['a way to a prototype', { a: { constructor: { prototype: 1 } } }, 'a.constructor'],
    ['a number that JavaScript changes', { a: [1, inexactNumber('1234567890123456789')] }, 'a[1]'],
    ['a bare text', '\u0000', 'body'],
  ])('%s is refused where it stands', (_title, value, field) => expect(unstorable(value)?.field).toBe(field));

  it('keys without number are refused, however they are spread; items of lists are not keys', () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    expect(unstorable({ a: keys(MAX_KEYS - 1) })).toBeNull();
    expect(unstorable({ a: keys(MAX_KEYS) })).toEqual({ field: 'a', message: expect.stringContaining('keys') });
    const spread = { list: Array.from({ length: 300 }, () => keys(100)) };
    expect(unstorable(spread)?.message).toContain(`more than ${MAX_KEYS} keys`);
    expect(unstorable({ list: Array(3 * MAX_KEYS).fill(1) })).toBeNull();
  });

  it('nesting without end is refused without going down to its end', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(unstorable(deep)?.message).toMatch(/nested/);
  });
});
