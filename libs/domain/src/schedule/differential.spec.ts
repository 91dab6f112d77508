import { describe, expect, it } from '@jest/globals';
import { Cron } from 'croner';
import fc from 'fast-check';
import { CronError, localTime, parseSchedule, type Schedule } from './index.js';
import { diceFrom, NUMBERS_NEEDED, randomFields, zones } from './random-expression.spec-helper.js';
import { slowFires, wallClock, wallsOf } from './slow-schedule.spec-helper.js';
import { ZoneClock } from './zone-clock.js';

const HOUR = 3600;
const DAY = 24 * HOUR;

const numbers = fc.array(fc.nat(9999), { minLength: NUMBERS_NEEDED, maxLength: NUMBERS_NEEDED });
const anyMinutes = numbers.map((list) => randomFields(diceFrom(list), '0'));
const anySeconds = numbers.map((list) => randomFields(diceFrom(list)));
const anyZone = fc.constantFrom(...zones);
/** 1970 to 2100. */
const anySecond = fc.integer({ min: 0, max: 4_102_444_800 });

/** Undefined for the few expressions whose date never comes. */
function parsed(fields: readonly string[], zone: string): Schedule | undefined {
  try {
    return parseSchedule(fields.join(' '), zone);
  } catch (error) {
    if (error instanceof CronError && error.message.includes('never comes')) return undefined;
    throw error;
  }
}

function expectSame(fields: readonly string[], zone: string, from: number, to: number, step: number): void {
  const schedule = parsed(fields, zone);
  if (schedule === undefined) return;
  const expected = slowFires(fields, wallsOf(zone, from - Math.ceil((26 * HOUR) / step) * step, to, step)).filter(
    (fire) => fire > from,
  );
  expect({ zone, fields, fires: schedule.between(from, to, Infinity) }).toEqual({ zone, fields, fires: expected });
  expect(schedule.count(from, to)).toBe(expected.length);
  expect(firesBackwards(schedule, from, to + 1)).toEqual(expected);
}

function firesBackwards(schedule: Schedule, from: number, before: number): number[] {
  const fires: number[] = [];
  for (let fire = schedule.previous(before); fire !== null && fire > from; fire = schedule.previous(fire)) {
    fires.unshift(fire);
  }
  return fires;
}

/** The second at which a zone changes its clock at or before some second, if it ever does nearby. */
function changeNear(zone: string, second: number): number {
  const clock = ZoneClock.of(zone);
  return clock.changeUpTo(second)?.at ?? clock.changeAfter(second)?.at ?? second;
}

describe('against the scan of wall-clock times', () => {
  it('fires the same minutes around a clock change of any zone', () => {
    fc.assert(
      fc.property(anyMinutes, anyZone, anySecond, (fields, zone, second) => {
        const change = changeNear(zone, second);
        if (change % 60 === 0) expectSame(fields, zone, change - DAY / 2, change + DAY / 2, 60);
      }),
      { numRuns: 60 },
    );
  });

  it('fires the same seconds around a clock change of any zone', () => {
    fc.assert(
      fc.property(anySeconds, anyZone, anySecond, (fields, zone, second) => {
        const change = changeNear(zone, second);
        const schedule = parsed(fields, zone);
        const walls = wallsOf(zone, change - 2000, change + 2000, 1);
        const expected = slowFires(fields, walls).filter((fire) => fire <= change);
        expect(schedule?.between(change - 2001, change, Infinity) ?? expected).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('fires the same days over months, anywhere from 1970 to 2100', () => {
    fc.assert(
      fc.property(anyMinutes, anySecond, (fields, second) => {
        const [, , , ...days] = fields;
        const from = Math.floor(second / DAY) * DAY;
        expectSame(['0', '0', '0', ...days], 'UTC', from, from + 150 * DAY, DAY);
      }),
      { numRuns: 80 },
    );
  });

  it('fires the same around a change of every zone, with fixed and with repeating times', () => {
    const expressions = ['0 30 0-5 * * *', '0 */20 * * * *', '0 0,15 0,2,23 * * *', '0 */7 2 * * *'];
    zones.forEach((zone, index) => {
      const change = changeNear(zone, (((index * 7) % 130) + 0.5) * 365 * DAY);
      if (change % 60 !== 0) return;
      const walls = wallsOf(zone, change - 3 * HOUR, change + 3 * HOUR, 60);
      for (const expr of expressions) {
        const expected = slowFires(expr.split(' '), walls);
        const fires = parseSchedule(expr, zone).between(change - 3 * HOUR - 1, change + 3 * HOUR, Infinity);
        expect({ zone, expr, change, fires }).toEqual({ zone, expr, change, fires: expected });
      }
    });
  });

  it('reads the clock of every zone as Intl does', () => {
    zones.forEach((zone, index) => {
      const second = (((index * 13) % 130) + 0.3) * 365 * DAY + index * 4321;
      const text = new Date(wallClock(zone)(second) * 1000).toISOString().slice(0, 19);
      expect(localTime(second, zone).slice(0, 19)).toBe(text);
    });
  });
});

describe('against croner', () => {
  // Only where croner is right: no clock changes, no days that some months lack, no a/n, and not both kinds of day at
  // once: it then misses the first of March.
  const plain = (min: number, max: number): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min, max }).map(String),
      fc.integer({ min: 1, max: max - min + 1 }).map((n) => `*/${n}`),
    );
  const expression = fc
    .tuple(
      plain(0, 59),
      plain(0, 59),
      plain(0, 23),
      fc.oneof(fc.constant('*'), fc.integer({ min: 1, max: 28 }).map(String), fc.constant('L')),
      plain(1, 12),
      fc.oneof(fc.constant('*'), fc.constantFrom('1-5', 'MON,WED', '0', '7', '5#2', 'FRI')),
    )
    .filter(([, , , dayOfMonth, , dayOfWeek]) => dayOfMonth === '*' || dayOfWeek === '*');

  it('fires at the same instants in zones without changes', () => {
    fc.assert(
      fc.property(
        expression,
        fc.constantFrom('UTC', 'Asia/Tokyo', 'Asia/Kolkata'),
        anySecond,
        (fields, zone, second) => {
          const expr = fields.join(' ');
          const after = Math.max(second, 946_684_800);
          const theirs = new Cron(expr, { timezone: zone }).nextRuns(3, new Date(after * 1000));
          const ours = parseSchedule(expr, zone).between(after, Infinity, 3);
          expect({ expr, ours }).toEqual({ expr, ours: theirs.map((date) => date.getTime() / 1000) });
        },
      ),
      { numRuns: 300 },
    );
  });
});
