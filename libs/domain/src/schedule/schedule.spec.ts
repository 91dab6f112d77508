import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CronError, localTime, parseSchedule, type Schedule } from './index.js';
import { diceFrom, NUMBERS_NEEDED, randomFields, zones } from './random-expression.spec-helper.js';

const iso = (second: number | null): string | null =>
  second === null ? null : new Date(second * 1000).toISOString().replace('.000Z', 'Z');
const at = (text: string): number => Date.parse(text) / 1000;

const FEW_ZONES = ['UTC', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Apia', 'Asia/Gaza'];

const anySchedule: fc.Arbitrary<Schedule> = fc
  .tuple(
    fc.array(fc.nat(9999), { minLength: NUMBERS_NEEDED, maxLength: NUMBERS_NEEDED }),
    fc.oneof(fc.constantFrom(...FEW_ZONES), fc.constantFrom(...zones)),
  )
  .map(([numbers, zone]) => orDaily(randomFields(diceFrom(numbers)).join(' '), zone));

/** 1970 to 2100. */
const anySecond = fc.integer({ min: 0, max: 4_102_444_800 });

function orDaily(expr: string, zone: string): Schedule {
  try {
    return parseSchedule(expr, zone);
  } catch (error) {
    if (error instanceof CronError && error.message.includes('never comes')) return parseSchedule('@daily', zone);
    throw error;
  }
}

const check = (property: (schedule: Schedule, second: number) => void, numRuns = 300): void =>
  fc.assert(fc.property(anySchedule, anySecond, property), { numRuns });

describe('next, previous, matches, between, count and advance agree', () => {
  it('next is later, previous earlier, and nothing lies between', () => {
    check((schedule, second) => {
      const next = schedule.next(second) ?? Infinity;
      const previous = schedule.previous(second) ?? -Infinity;
      expect(next).toBeGreaterThan(second);
      expect(previous).toBeLessThan(second);
      expect(schedule.previous(next)).toBe(schedule.matches(second) ? second : previous);
      expect(schedule.next(previous)).toBe(schedule.matches(second) ? second : next);
    });
  });

  it('between repeats next, and count and advance are its arithmetic', () => {
    check((schedule, second) => {
      const fires = schedule.between(second, Infinity, 20);
      const last = fires.at(-1) ?? second;
      expect(fires.every((fire) => schedule.matches(fire))).toBe(true);
      expect(schedule.between(second, last, Infinity)).toEqual(fires);
      expect(schedule.count(second, last)).toBe(fires.length);
      expect(schedule.advance(second, fires.length)).toBe(last);
    });
  });

  it('normalized is read back as the same schedule', () => {
    check((schedule, second) => {
      const again = parseSchedule(schedule.normalized, schedule.zone);
      expect(again.normalized).toBe(schedule.normalized);
      expect(schedule.normalized.length).toBeLessThanOrEqual(1024);
      expect(again.between(second, Infinity, 10)).toEqual(schedule.between(second, Infinity, 10));
      const change = Math.floor(second / 86_400) * 86_400;
      expect(again.count(change, change + 200 * 86_400)).toBe(schedule.count(change, change + 200 * 86_400));
    });
  });

  it('takes fractions of a second as time, and the edges of time as empty', () => {
    const schedule = parseSchedule('* * * * * *', 'Europe/Berlin');
    expect([schedule.next(10.5), schedule.next(9.999), schedule.previous(10.5), schedule.previous(10)]).toEqual([
      11, 10, 10, 9,
    ]);
    expect([schedule.next(NaN), schedule.next(Infinity), schedule.previous(-Infinity)]).toEqual([null, null, null]);
    expect(schedule.next(at('9999-12-31T23:59:59Z'))).toBeNull();
    expect(iso(schedule.next(-Infinity))).toBe('0001-01-01T00:00:00Z');
    expect(schedule.matches(10.5)).toBe(false);
    expect(schedule.between(0, 10, 0)).toEqual([]);
  });
});

describe('rare dates', () => {
  it.each([
    ['0 0 29 2 *', '2097-01-01T00:00:00Z', '2104-02-29T00:00:00Z'],
    ['0 0 * 2 MON#5', '2025-01-01T00:00:00Z', '2044-02-29T00:00:00Z'],
    ['0 0 * 2 MON#5', '2073-01-01T00:00:00Z', '2112-02-29T00:00:00Z'],
    ['0 0 29W 2 *', '2025-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 LW 8 *', '2025-01-01T00:00:00Z', '2025-08-29T00:00:00Z'],
    ['0 0 1W 2 *', '2025-01-01T00:00:00Z', '2025-02-03T00:00:00Z'],
    ['0 0 30 2 MON', '2025-01-01T00:00:00Z', '2025-02-03T00:00:00Z'],
    ['0 0 1 * *,5', '2025-01-02T00:00:00Z', '2025-02-01T00:00:00Z'],
  ])('%s after %s: %s', (expr, after, expected) => {
    expect(iso(parseSchedule(expr, 'UTC').next(at(after)))).toBe(expected);
    expect(iso(parseSchedule(expr, 'UTC').previous(at(expected) + 1))).toBe(expected);
  });

  it('crosses forty years of clock changes in one step', () => {
    const schedule = parseSchedule('0 12 * 2 MON#5', 'America/New_York');
    expect(iso(schedule.next(at('2073-01-01T00:00:00Z')))).toBe('2112-02-29T17:00:00Z');
    expect(iso(schedule.previous(at('2112-02-29T17:00:00Z')))).toBe('2072-02-29T17:00:00Z');
  });
});

describe('normalized', () => {
  it.each([
    ['*/5 * * * *', '0 */5 * * * *'],
    ['0/5 9-17 * * MON-FRI', '0 0-55/5 9-17 * * 1-5'],
    ['? ? ? ? ? ?', '* * * * * *'],
    ['*/60 */24 * * *', '0 */60 */24 * * *'],
    ['*/15,7 * * * *', '0 */60,7,15,30,45 * * * *'],
    ['0-59 0-23 1-31 1-12 0-7', '0 * * 1-31 * 0-6'],
    ['0 0 */1 * 1#1,friL,7', '0 0 0 * * 0,1#1,5L'],
    ['0 0 L,LW,15W,1 2-3 ?', '0 0 0 1,15W,L,LW 2,3 *'],
    ['  @weekly ', '0 0 0 * * 0'],
    ['@every 1h30m', '@every 5400s'],
    ['@every 1.5s', '@every 1s'],
    ['@every 0.29h', '@every 1044s'],
    ['@every +1h1ns', '@every 3600s'],
    ['TZ=Asia/Tokyo\t@daily', 'CRON_TZ=Asia/Tokyo 0 0 0 * * *'],
    ['CRON_TZ=Asia/Tokyo @every 90s', 'CRON_TZ=Asia/Tokyo @every 90s'],
  ])('%s is %s', (expr, expected) => {
    const schedule = parseSchedule(expr, 'UTC');
    expect(schedule.normalized).toBe(expected);
    expect(parseSchedule(expected, 'UTC').normalized).toBe(expected);
  });

  it('stays short for the longest lists', () => {
    const values = (length: number, first = 0): string =>
      Array.from({ length }, (_, index) => index + first)
        .filter((value) => value % 3 !== 2)
        .join(',');
    const expr = [values(60), values(60), values(24), values(31, 1), values(12, 1), values(7)].join(' ');
    const schedule = parseSchedule(expr, 'UTC');
    expect(parseSchedule(schedule.normalized, 'UTC').normalized).toBe(schedule.normalized);
  });
});

describe('@every', () => {
  it('counts from the second it is given', () => {
    const schedule = parseSchedule('@every 90s', 'Europe/Berlin');
    expect([schedule.next(100), schedule.next(100.9), schedule.previous(100), schedule.advance(100, 3)]).toEqual([
      190, 190, 10, 370,
    ]);
    expect([schedule.between(100, 400, 10), schedule.count(100, 400), schedule.every]).toEqual([
      [190, 280, 370],
      3,
      90,
    ]);
    expect([schedule.count(400, 100), schedule.matches(7), schedule.matches(7.5)]).toEqual([0, true, false]);
  });
});

describe('sharing', () => {
  it('gives the same object for the same text and zone', () => {
    expect(parseSchedule('5 4 * * *', 'UTC')).toBe(parseSchedule('5 4 * * *', 'UTC'));
    expect(parseSchedule('5 4 * * *', 'UTC')).not.toBe(parseSchedule('5 4 * * *', 'Etc/UTC'));
  });

  it('keeps what is in use while thousands of others come and go', () => {
    const kept = parseSchedule('5 4 * * *', 'UTC');
    for (let index = 0; index < 20_000; index += 1) {
      parseSchedule(`${index % 60} ${Math.floor(index / 60) % 60} ${Math.floor(index / 3600)} * * *`, 'UTC');
      if (index % 1000 === 0) expect(parseSchedule('5 4 * * *', 'UTC')).toBe(kept);
    }
  });

  it('counts a year of seconds at once', () => {
    const schedule = parseSchedule('* * * * * *', 'America/New_York');
    const begin = performance.now();
    expect(schedule.count(at('2025-01-01T00:00:00Z') - 1, at('2026-01-01T00:00:00Z') - 1)).toBe(365 * 86_400);
    expect(schedule.advance(at('2025-01-01T00:00:00Z'), 31_000_000)).toBe(at('2025-01-01T00:00:00Z') + 31_000_000);
    // One by one they would take many seconds.
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

describe('localTime', () => {
  it.each([
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29T03:00:00+02:00'],
    ['2026-03-29T00:59:59Z', 'Europe/Berlin', '2026-03-29T01:59:59+01:00'],
    ['2025-01-15T10:07:23Z', 'America/St_Johns', '2025-01-15T06:37:23-03:30'],
    ['2025-01-15T10:07:23Z', 'UTC', '2025-01-15T10:07:23+00:00'],
    ['1971-01-01T00:00:00Z', 'Africa/Monrovia', '1970-12-31T23:15:30-00:44:30'],
    ['2600-07-01T00:00:00Z', 'America/New_York', '2600-06-30T20:00:00-04:00'],
  ])('%s in %s is %s', (instant, zone, expected) => expect(localTime(at(instant), zone)).toBe(expected));
});
