import { describe, expect, it } from '@jest/globals';
import { unstorable } from '#domain';
import fc from 'fast-check';
import { isPlainUtf8, readJson } from './read-json.js';

const read = (text: string): unknown => readJson(Buffer.from(text));

describe('a JSON body', () => {
  it('is what JSON.parse makes of it, whatever texts and numbers it holds', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom('1234567890123456789', '1e999', '\\"', '"'));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), odd), (value) => {
        const text = JSON.stringify(value);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['1234567890123456789', '-9007199254740993', '1e999', '-1E+400', `1${'0'.repeat(50)}`])(
    'is refused where it holds the number %s, which would be another one',
    (number) => {
      expect(unstorable(read(`{"payload":{"ids":["${number}",${number}]}}`))).toMatchObject({
        field: 'payload.ids[1]',
        message: expect.stringContaining(`would be changed (${number})`),
      });
    },
  );

  it.each(['9007199254740991', '9007199254740992', '1000000000000000000000', '0.1', '1e-999', '1.5e308', '-0'])(
    'may hold the number %s',
    (number) => expect(read(`[${number},"0123456789012345678"]`)).toEqual([Number(number), '0123456789012345678']),
  );

  it.each([
    '{"a":01234567890123456789}',
    '[12345678901234567890.]',
    '["1234567890123456789',
    '1234567890123456789x',
    '',
  ])('stays malformed: %s', (text) => expect(() => read(text)).toThrow(expect.objectContaining({ statusCode: 400 })));

  it('is refused where it is not UTF-8', () => {
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('UTF-8');
    expect(readJson(Buffer.from('\ufeff"ü"'))).toBe('ü');
  });

  it.each([
    [{ 'content-type': 'application/json' }, true],
    [{ 'content-type': 'application/json; charset="UTF-8"', 'content-encoding': 'identity' }, true],
    [{ 'content-type': 'application/json;charset=utf8', 'content-encoding': '' }, true],
    [{ 'content-type': 'application/json; charset=latin1' }, false],
    [{ 'content-type': 'application/json', 'content-encoding': 'br' }, false],
  ])('with %j may be read: %s', (headers, isRead) => expect(isPlainUtf8(headers)).toBe(isRead));
});
