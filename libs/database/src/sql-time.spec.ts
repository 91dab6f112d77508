import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSqlTime, sqlTime } from './sql-time.js';

describe('readSqlTime', () => {
  it.each([
    ['2026-11-16 09:30:00', '2026-11-16T09:30:00.000Z'],
    ['2026-11-16 09:30:00.1', '2026-11-16T09:30:00.100Z'],
    ['2026-11-16 09:30:00.12', '2026-11-16T09:30:00.120Z'],
    ['2026-11-16 09:30:00.123', '2026-11-16T09:30:00.123Z'],
    ['2026-11-16 09:30:00.005', '2026-11-16T09:30:00.005Z'],
    ['1969-12-31 23:59:59.999', '1969-12-31T23:59:59.999Z'],
    ['0099-01-01 00:00:00', '0099-01-01T00:00:00.000Z'],
  ])('reads %s', (text, iso) => {
    expect(readSqlTime(text).toISOString()).toBe(iso);
  });

  it('reads whatever sqlTime writes', () => {
    const [min, max] = [Date.UTC(1000, 0), Date.UTC(9999, 11, 31)];
    fc.assert(fc.property(fc.integer({ min, max }), (time) => readSqlTime(sqlTime(time)).getTime() === time));
  });

  it.each(['infinity', '1044-01-01 00:00:00 BC', '16/11/2026 09:30:00', ''])('makes no time of %j', (text) => {
    expect(readSqlTime(text).getTime()).toBeNaN();
  });
});
