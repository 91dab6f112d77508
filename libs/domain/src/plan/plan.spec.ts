import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseSchedule, type Schedule } from '../schedule/index.js';
import { firstFireAt, plan, type Plan, type PlanInput, type PlannedTick } from './index.js';

const T0 = Date.parse('2026-03-29T00:00:00Z') / 1000;
const everyMinute = parseSchedule('* * * * *', 'UTC');

const input = (over: Partial<PlanInput>): PlanInput => ({
  schedule: everyMinute,
  cursor: T0,
  now: T0,
  mode: 'NONE',
  limit: 10,
  graceSeconds: 3,
  ...over,
});

const minute = (count: number): number => T0 + 60 * count;
const run = (at: number): PlannedTick => ({ kind: 'run', at, trigger: 'CRON' });
const caught = (at: number): PlannedTick => ({ kind: 'run', at, trigger: 'CATCH_UP' });
const missed = (missedFrom: number, at: number, missedCount: number): PlannedTick => ({
  kind: 'missed',
  at,
  missedFrom,
  missedCount,
});

describe('plan', () => {
  it.each<[string, Partial<PlanInput>, Plan]>([
    ['nothing before the cursor', { now: T0 - 0.001 }, { ticks: [], nextFireAt: T0 }],
    ['a tick on time', { now: T0 + 0.2 }, { ticks: [run(T0)], nextFireAt: minute(1) }],
    ['a tick just within grace', { now: T0 + 3 }, { ticks: [run(T0)], nextFireAt: minute(1) }],
    ['a tick just out of grace', { now: T0 + 3.001 }, { ticks: [missed(T0, T0, 1)], nextFireAt: minute(1) }],
    [
      'each tick within a long grace',
      { now: minute(2), graceSeconds: 120 },
      { ticks: [run(T0), run(minute(1)), run(minute(2))], nextFireAt: minute(3) },
    ],
    [
      'one missed row for a gap under NONE',
      { now: minute(5) + 1 },
      { ticks: [missed(T0, minute(4), 5), run(minute(5))], nextFireAt: minute(6) },
    ],
    [
      'one run for a gap under COMPACT',
      { now: minute(5) + 30, mode: 'COMPACT' },
      {
        ticks: [{ kind: 'run', trigger: 'CATCH_UP', at: minute(5), missedFrom: T0, missedCount: 6 }],
        nextFireAt: minute(6),
      },
    ],
    [
      'every tick of a gap under FULL',
      { now: minute(2) + 1, mode: 'FULL' },
      { ticks: [caught(T0), caught(minute(1)), run(minute(2))], nextFireAt: minute(3) },
    ],
    [
      'the newest of a gap under FULL with a limit',
      { now: minute(5) + 30, mode: 'FULL', limit: 2 },
      { ticks: [missed(T0, minute(3), 4), caught(minute(4)), caught(minute(5))], nextFireAt: minute(6) },
    ],
    [
      'no run under FULL with limit 0',
      { now: minute(1) + 30, mode: 'FULL', limit: 0 },
      { ticks: [missed(T0, minute(1), 2)], nextFireAt: minute(2) },
    ],
    [
      'a chunk of a gap under FULL, the next undecided tick in the past',
      { now: minute(5), mode: 'FULL', limit: 4, chunk: 2 },
      { ticks: [missed(T0, T0, 1), caught(minute(1)), caught(minute(2))], nextFireAt: minute(3) },
    ],
    [
      'the newest tick alone when sampling, the others by the mode',
      { now: minute(3) + 5, graceSeconds: 600, sampling: true },
      { ticks: [missed(T0, minute(2), 3), run(minute(3))], nextFireAt: minute(4) },
    ],
    [
      'a single tick between two polls when sampling',
      { now: T0 + 25, graceSeconds: 32, sampling: true },
      { ticks: [run(T0)], nextFireAt: minute(1) },
    ],
    [
      'no tick out of grace when sampling',
      { now: minute(3) + 50, graceSeconds: 12, sampling: true },
      { ticks: [missed(T0, minute(3), 4)], nextFireAt: minute(4) },
    ],
    [
      'the newest tick of an interval that knows no grid when sampling',
      { schedule: parseSchedule('@every 7s', 'UTC'), now: T0 + 30.5, graceSeconds: 32, sampling: true },
      { ticks: [missed(T0, T0 + 21, 4), run(T0 + 28)], nextFireAt: T0 + 35 },
    ],
    [
      'nothing after the end when sampling',
      { now: minute(5), graceSeconds: 600, endAt: minute(1), sampling: true },
      { ticks: [missed(T0, T0, 1), run(minute(1))], nextFireAt: null },
    ],
    [
      'nothing after the end',
      { now: minute(5), graceSeconds: 600, endAt: minute(1) },
      { ticks: [run(T0), run(minute(1))], nextFireAt: null },
    ],
    ['nothing if the end has passed', { now: minute(5), endAt: T0 - 1 }, { ticks: [], nextFireAt: null }],
    ['no next fire if it lies after the end', { endAt: T0 + 59 }, { ticks: [run(T0)], nextFireAt: null }],
    [
      'nothing before the start',
      { now: minute(3), graceSeconds: 600, startAt: minute(2) - 5 },
      { ticks: [run(minute(2)), run(minute(3))], nextFireAt: minute(4) },
    ],
    ['the start itself if it is to come', { startAt: minute(2) }, { ticks: [], nextFireAt: minute(2) }],
  ])('gives %s', (_title, over, expected) => {
    expect(plan(input(over))).toEqual(expected);
  });

  it.each<[PlanInput['mode'], string]>([
    ['NONE', '* * * * * *'],
    ['COMPACT', '* * * * * *'],
    ['FULL', '* * * * * *'],
    ['FULL', '@every 1s'],
  ])('decides a year of seconds under %s (%s) at once, with the exact count', (mode, expr) => {
    const schedule = parseSchedule(expr, 'America/New_York');
    const begin = performance.now();
    const { ticks } = plan(input({ schedule, now: T0 + 365 * 86_400 + 0.5, mode, limit: 100, chunk: 10 }));
    const took = performance.now() - begin;
    const told = ticks.reduce((sum, tick) => sum + (tick.missedCount ?? 1), 0);
    expect(told).toBe(mode === 'FULL' ? 365 * 86_400 - 2 - 100 + 10 : 365 * 86_400 + 1);
    // One by one they would take many seconds.
    expect(took).toBeLessThan(1_000);
  });
});

describe('firstFireAt', () => {
  const every = parseSchedule('@every 5m', 'UTC');

  it.each<[string, Schedule, number, number | undefined, number | undefined, number | null]>([
    ['the next due second', everyMinute, T0, undefined, undefined, minute(1)],
    ['the start if that is due', everyMinute, T0, minute(5), undefined, minute(5)],
    ['the first due second after the start', everyMinute, T0, minute(5) + 1, undefined, minute(6)],
    ['a due second after a start long ago', everyMinute, T0, T0 - 999, undefined, minute(1)],
    ['the end if that is due', everyMinute, T0, undefined, minute(1), minute(1)],
    ['nothing after the end', everyMinute, T0, undefined, minute(1) - 1, null],
    ['@every from now', every, T0, undefined, undefined, minute(5)],
    ['@every from its start', every, T0, minute(2), undefined, minute(2)],
    ['@every from now if it started before', every, T0, T0 - 60, undefined, minute(5)],
  ])('gives %s', (_title, schedule, after, startAt, endAt, expected) => {
    expect(firstFireAt(schedule, after, startAt, endAt)).toBe(expected);
  });
});

describe('over passes', () => {
  const schedules = ['* * * * * *', '*/7 * * * * *', '* * * * *', '30 2 * * *', '@every 7s', '*/20 1-3 * * *'];
  const passes = fc.record({
    schedule: fc.constantFrom(...schedules).map((expr) => parseSchedule(expr, 'Europe/Berlin')),
    from: fc.integer({ min: T0 - 7200, max: T0 + 7200 }),
    gap: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20_000 })),
    steps: fc.array(fc.double({ min: 0.1, max: 30, noNaN: true }), { maxLength: 8 }),
    mode: fc.constantFrom<PlanInput['mode']>('NONE', 'COMPACT', 'FULL'),
    limit: fc.integer({ min: 0, max: 30 }),
    chunk: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
    graceSeconds: fc.integer({ min: 0, max: 10 }),
    sampling: fc.boolean(),
    endAfter: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
  });

  const covered = (schedule: Schedule, tick: PlannedTick): number[] =>
    tick.missedFrom === undefined
      ? [tick.at]
      : [tick.missedFrom, ...schedule.between(tick.missedFrom, tick.at, Infinity)];

  it('covers every due second exactly once, in order, with the right counts', () => {
    fc.assert(
      fc.property(passes, ({ schedule, from, gap, steps, endAfter, ...rules }) => {
        const endAt = endAfter === undefined ? undefined : from + endAfter;
        const first = firstFireAt(schedule, from, undefined, endAt);
        let cursor = first;
        let now = from + gap;
        const ticks: PlannedTick[] = [];
        for (const step of [...steps, 0]) {
          if (cursor === null) break;
          const result: Plan = plan({ schedule, cursor, now, endAt, ...rules });
          ticks.push(...result.ticks);
          expect(result.nextFireAt ?? Infinity).toBeGreaterThan(result.ticks.at(-1)?.at ?? -Infinity);
          cursor = result.nextFireAt;
          now += step;
        }
        const seconds = ticks.flatMap((tick) => covered(schedule, tick));
        const last = seconds.at(-1);
        const due = first === null || last === undefined ? [] : [first, ...schedule.between(first, last, Infinity)];
        expect(seconds).toEqual(due);
        for (const tick of ticks) {
          if (tick.missedCount !== undefined) expect(covered(schedule, tick)).toHaveLength(tick.missedCount);
        }
        if (last !== undefined) expect(last).toBeLessThanOrEqual(Math.min(now, endAt ?? Infinity));
      }),
      { numRuns: 300 },
    );
  });

  it('brings back no more than the limit of a gap, however it is paced', () => {
    fc.assert(
      fc.property(passes, fc.integer({ min: 1, max: 10 }), ({ schedule, from, gap, limit, graceSeconds }, chunk) => {
        const now = from + gap;
        let cursor = firstFireAt(schedule, from);
        let runs = 0;
        while (cursor !== null && cursor <= now) {
          const result: Plan = plan({ schedule, cursor, now, mode: 'FULL', limit, graceSeconds, chunk });
          const caughtUp = result.ticks.filter((tick) => tick.kind === 'run' && tick.trigger === 'CATCH_UP').length;
          expect(caughtUp).toBeLessThanOrEqual(chunk);
          runs += caughtUp;
          cursor = result.nextFireAt;
        }
        expect(runs).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 200 },
    );
  });
});
