import { describe, expect, it } from '@jest/globals';
import type { AdmitFacts } from '../admit/index.js';
import { parseSchedule } from '../schedule/index.js';
import { InvalidInput } from '../task/errors.js';
import { backfillRange, type BackfillSecond, countOpenRuns, type RangeInput, stepBackfill } from './index.js';

const NOON = Date.parse('2026-06-01T12:00:00Z') / 1000;
const minutes = parseSchedule('* * * * *', 'UTC');

describe('the range of a backfill', () => {
  const range = (given: Partial<RangeInput>) =>
    backfillRange({
      schedule: minutes,
      from: NOON - 600,
      to: NOON,
      startAt: null,
      endAt: null,
      now: NOON + 1,
      ...given,
    });

  it.each<[string, Partial<RangeInput>, number, number | null]>([
    ['both ends belong to it', {}, 11, NOON],
    ['fractions are inside', { from: NOON - 600.5, to: NOON + 0.5 }, 11, NOON],
    ['a first second that is cut', { from: NOON - 599.5 }, 10, NOON],
    ['one second', { from: NOON, to: NOON }, 1, NOON],
    ['from start_at on', { startAt: NOON - 60 }, 2, NOON],
    ['up to end_at', { endAt: NOON - 60 }, 10, NOON - 60],
    ['nothing', { from: NOON - 59, to: NOON - 1 }, 0, null],
    ['outside of the task’s time', { endAt: NOON - 6000 }, 0, null],
    ['just as many as allowed', { from: NOON - 9_999 * 60 }, 10_000, NOON],
  ])('%s', (_title, given, total, last) => expect(range(given)).toMatchObject({ total, last }));

  it.each<[string, Partial<RangeInput>, string]>([
    ['one too many', { from: NOON - 10_000 * 60 }, 'to the range has 10001 due seconds'],
    ['a century of seconds', { schedule: parseSchedule('* * * * * *', 'UTC'), from: NOON - 3e9 }, '3000000001 due'],
    ['the wrong way round', { from: NOON + 1, to: NOON }, 'from must not be after to'],
    ['the future', { to: NOON + 2 }, 'to must not be in the future'],
    ['no schedule', { schedule: null }, 'no schedule'],
    ['no grid', { schedule: parseSchedule('@every 1m', 'UTC') }, '@every'],
  ])('refuses %s', (_title, given, message) => {
    expect(() => range(given)).toThrow(InvalidInput);
    expect(() => range(given)).toThrow(message);
  });
});

describe('a step of a backfill', () => {
  const facts: AdmitFacts = {
    activeRuns: 0,
    queuedRuns: 0,
    maxConcurrency: 2,
    concurrencyPolicy: 'QUEUE',
    queueLimit: 1,
    overlapAction: 'SKIP',
    ...{ failureAction: 'SKIP', failedTickAttempt: 1, failureSkipped: false },
  };
  const seconds = (...records: BackfillSecond['record'][]) => records.map((record, i) => ({ at: i + 1, record }));
  const step = (records: BackfillSecond['record'][], given: Partial<AdmitFacts>, room: number) => {
    const { admitted, ...rest } = stepBackfill(seconds(...records), { ...facts, ...given }, { room, cursor: 0 });
    return { ...rest, admitted: admitted.map(({ second, verdict }) => `${second.at} ${verdict.kind}`) };
  };

  it.each<[string, BackfillSecond['record'][], Partial<AdmitFacts>, number, object]>([
    ['passes what has its run', ['run', 'none', 'run'], {}, 5, { admitted: ['2 run'], existing: 2, cursor: 3 }],
    ['makes up for what was missed', ['missed'], {}, 5, { admitted: ['1 run'], existing: 0, cursor: 1 }],
    ['stops when there is no room', ['none', 'run', 'none'], {}, 1, { admitted: ['1 run'], existing: 1, cursor: 2 }],
    ['passes what exists without room', ['run', 'none'], {}, 0, { admitted: [], existing: 1, cursor: 1 }],
    [
      'waits in line, then for the line',
      ['none', 'none', 'none', 'none'],
      {},
      9,
      { admitted: ['1 run', '2 run', '3 queue'], cursor: 3 },
    ],
    [
      'waits instead of being skipped',
      ['none', 'none', 'none'],
      { concurrencyPolicy: 'SKIP' },
      9,
      { admitted: ['1 run', '2 run'], cursor: 2 },
    ],
    ['is not about overlap', ['none'], { activeRuns: 1 }, 9, { admitted: ['1 run'], cursor: 1 }],
    ['has nothing left', [], {}, 9, { admitted: [], existing: 0, cursor: 0 }],
  ])('%s', (_title, records, given, room, expected) => expect(step(records, given, room)).toMatchObject(expected));
});

describe('the runs of a backfill', () => {
  it('are counted once, when they have ended', () => {
    const before = { succeeded: 1, failed: 0, canceled: 0, openRuns: ['a', 'b', 'c', 'd', 'e', 'f'] };
    const states = new Map([
      ['a', 'SUCCESS'],
      ['b', 'RUNNING'],
      ['c', 'TIMEOUT'],
      ['d', 'CANCELED'],
      ['e', 'QUEUED'],
    ] as const);
    expect(countOpenRuns(before, states)).toEqual({ succeeded: 2, failed: 2, canceled: 1, openRuns: ['b', 'e'] });
  });
});
