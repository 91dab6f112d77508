import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CronError, parseSchedule } from './index.js';

function refusal(expr: string, zone = 'UTC'): CronError {
  try {
    parseSchedule(expr, zone);
  } catch (error) {
    if (error instanceof CronError) return error;
    throw error;
  }
  throw new Error(`${expr} in ${zone} was not refused`);
}

describe('what a refusal says', () => {
  it.each([
    ['61 * * * *', 'minute: 61 is out of range 0–59'],
    ['5-61 * * * *', 'minute: 61 in 5-61 is out of range 0–59'],
    ['99 0 0 * * *', 'second: 99 is out of range 0–59'],
    ['0 24 * * *', 'hour: 24 is out of range 0–23'],
    ['0 0 0 * *', 'day_of_month: 0 is out of range 1–31'],
    ['0 0 1 13 *', 'month: 13 is out of range 1–12'],
    ['0 0 * * 8', 'day_of_week: 8 is out of range 0–7'],
    ['*/100 * * * *', 'minute: step 100 of */100 is out of range 1–60'],
    ['0 */0 * * *', 'hour: step 0 of */0 is out of range 1–24'],
    ['*/x * * * *', 'minute: step of */x is not a number from 1 to 60'],
    ['0 22-2 * * *', 'hour: 22-2 runs backwards; write two ranges instead'],
    ['1,,2 * * * *', 'minute: empty item in 1,,2; a comma stands between two items'],
    [
      '0 0 1 JANFEB *',
      'month: JANFEB is not understood; allowed are 1–12, JAN–DEC, *, a-b, */n, a/n, a-b/n and lists of these',
    ],
    ['0 0 * * 1#6', 'day_of_week: the place after # in 1#6 is not one of 1–5'],
    ['0 0 32W * *', 'day_of_month: 32 in 32W is out of range 1–31'],
    ['0 0 30 2 *', 'day_of_month: day 30 of month 2 never comes; no such month has that day'],
    ['0 0 31W 2,4 *', 'day_of_month: day 31W of month 2,4 never comes; no such month has that day'],
    ['', 'cron_expr: 0 fields; write minute hour day month weekday, or six with the second first'],
    ['* * *', 'cron_expr: 3 fields; write minute hour day month weekday, or six with the second first'],
    ['@every 0s', 'cron_expr: @every 0s is not more than 0'],
    ['@every 5', 'cron_expr: @every 5 is not a duration such as 90s, 5m or 1h30m'],
    ['@every 9999999h', 'cron_expr: @every 9999999h is longer than 2562047h (292 years)'],
    ['CRON_TZ=Nowhere 0 0 * * *', 'timezone: Nowhere is not an IANA zone such as Europe/Berlin or UTC'],
    ['CRON_TZ= 0 0 * * *', 'timezone: an empty name is not an IANA zone such as Europe/Berlin or UTC'],
    ['0 0 * * *\u0000', 'day_of_week: *\uFFFD is not understood'],
  ])('%j: %s', (expr, message) => {
    const error = refusal(expr);
    expect(error.message.slice(0, message.length)).toBe(message);
    expect(error.message.startsWith(`${error.field}: `)).toBe(true);
  });

  it.each(['@Daily', '@reboot', '@daily 0', '@', '@every', '@every 1h 30m', '@constructor'])(
    'lists the descriptors that exist instead of %s',
    (expr) => expect(refusal(expr).message).toMatch(/^cron_expr: .* is not one of @yearly .* or @every 5m$/),
  );

  it.each(['L', 'W', '1W', '*L', '1#', '#1', 'L#1', '1L/2', '5-0', 'FRI-0', 'SUNDAY', 'JAN', 'frı', 'ſun', '1#1-3'])(
    'does not understand the weekday %s',
    (weekday) => expect(refusal(`0 0 * * ${weekday}`).field).toBe('day_of_week'),
  );

  it.each(['WL', 'L-3', 'L/2', '1-5W', '1W/2', 'W', 'LL', 'MON', '1W-5', '-1', '+1', '1.0', '0x1', '1e1', '٥'])(
    'does not understand the day %s',
    (day) => expect(refusal(`0 0 ${day} * *`).field).toBe('day_of_month'),
  );
});

describe('zones', () => {
  it.each([
    'Mars/Phobos',
    '+02:00',
    '-05',
    'GMT+5',
    'UTC+1',
    'PST',
    'BST',
    'SystemV/EST5',
    '',
    'UTC ',
    '../UTC',
    'Local',
  ])('refuses %j', (zone) => expect(refusal('0 0 * * *', zone).field).toBe('timezone'));

  it.each([
    'Etc/UTC',
    'Zulu',
    'US/Eastern',
    'Asia/Calcutta',
    'EST',
    'EST5EDT',
    'Europe/Kyiv',
    'GMT',
    'Etc/GMT+5',
    'utc',
  ])('knows %s and keeps the name', (zone) => expect(parseSchedule('0 0 * * *', zone).zone).toBe(zone));

  it('refuses an unknown zone of the task even if the expression names another', () => {
    expect(refusal('CRON_TZ=UTC 0 0 * * *', 'Nowhere').field).toBe('timezone');
  });
});

describe('any input', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'0123456789*?/-,LW# @'), maxLength: 60 }),
    fc
      .array(fc.constantFrom('*', '*/', '1-', '5#', 'L', 'W', ',', '@every', 'CRON_TZ=', 'TZ=UTC', '1h', '\t', ' '), {
        maxLength: 12,
      })
      .map((parts) => parts.join(' ')),
  );

  it('is a schedule or a CronError, and its fires move forward', () => {
    fc.assert(
      fc.property(hostile, fc.oneof(fc.constant('UTC'), hostile), (expr, zone) => {
        try {
          const [first, second] = parseSchedule(expr, zone).between(0, Infinity, 2);
          expect(second).toBeGreaterThan(first);
        } catch (error) {
          expect(error).toBeInstanceOf(CronError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([undefined, null, 5, {}, []])('that is not a text (%j) is refused', (value) => {
    expect(() => parseSchedule(value as string, 'UTC')).toThrow(CronError);
    expect(() => parseSchedule('0 0 * * *', value as string)).toThrow(CronError);
  });

  it.each(['1,', '*/', '0 ', '9', '@every 1h', '1-2', 'L', 'CRON_TZ=a', '\u{1F642}', '\ud800'])(
    'of 64 KB made of %j is refused at once',
    (part) => {
      const text = part.repeat(65_536 / part.length);
      const times = Array.from({ length: 5 }, () => {
        const begin = performance.now();
        expect(refusal(text).message.length).toBeLessThan(300);
        expect(refusal('0 0 * * *', text).field).toBe('timezone');
        expect(refusal(text.slice(0, 1024)).message.length).toBeLessThan(300);
        return performance.now() - begin;
      });
      // What grows with the square of the length takes seconds.
      expect(Math.min(...times)).toBeLessThan(50);
    },
  );
});
