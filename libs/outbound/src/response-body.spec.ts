import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ResponseBody } from './response-body.js';

function read(
  chunks: Buffer[],
  limit: number,
  type?: string,
  encoding?: string,
): ResponseBody & { body: string; as: string } {
  const body = new ResponseBody(limit);
  for (const chunk of chunks) body.push(chunk);
  const kept = body.finish(type, encoding);
  return Object.assign(body, { body: kept.body, as: kept.bodyEncoding });
}

const binary = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]);

describe('ResponseBody', () => {
  it.each([
    [undefined, undefined, 'text'],
    ['text/plain', undefined, 'text'],
    ['application/json; charset=UTF-8', undefined, 'text'],
    ['application/problem+json', 'identity', 'text'],
    ['image/svg+xml', undefined, 'base64'],
    ['application/xml', undefined, 'text'],
    ['text/html; charset=iso-8859-1', undefined, 'base64'],
    ['application/octet-stream', undefined, 'base64'],
    ['image/png', undefined, 'base64'],
    ['application/json', 'gzip', 'base64'],
  ])('type %s with encoding %s is kept as %s', (type, encoding, as) => {
    expect(read([Buffer.from('{"ok":1}')], 100, type, encoding).as).toBe(as);
  });

  it('keeps what calls itself text but is not UTF-8, or has NUL in it, as base64', () => {
    expect(read([binary], 100, 'text/plain')).toMatchObject({ as: 'base64', body: binary.toString('base64') });
    expect(read([Buffer.from('a\0b')], 100, 'text/plain').as).toBe('base64');
  });

  it('is empty text when nothing came', () => {
    expect(read([], 100, 'image/png')).toMatchObject({ body: '', as: 'text', bytes: 0, truncated: false });
  });

  it('keeps the beginning of any text, however it is cut into chunks, and never half a character', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 7 }), (value, limit, size) => {
        const all = Buffer.from(value);
        const chunks: Buffer[] = [];
        for (let i = 0; i < all.length; i += size) chunks.push(all.subarray(i, i + size));
        const result = read(chunks, limit);
        expect(result.as).toBe('text');
        expect(value.startsWith(result.body)).toBe(true);
        expect(Buffer.byteLength(result.body)).toBeGreaterThan(Math.min(limit, all.length) - 4);
        expect(result).toMatchObject({ bytes: all.length, truncated: all.length > limit });
      }),
    );
  });

  it('holds no more than its limit, however much comes', () => {
    const chunk = Buffer.alloc(1000, 'x');
    const result = read(Array<Buffer>(500).fill(chunk), 1500);
    expect(result).toMatchObject({ bytes: 500_000, truncated: true });
    expect(result.body).toHaveLength(1500);
  });
});
