import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  aheadSecond,
  cronRunId,
  demandSuffix,
  firstIdAfterHotOnes,
  firstIdOfSecond,
  onDemandRunId,
  taskIdOf,
} from './run-id.js';

/** Ten digits: until 2286. */
const seconds = fc.integer({ min: 0, max: 9_999_999_998 });
const taskIds = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const suffixes = fc.stringMatching(/^[0-9a-f]{10}$/);

describe('run ids', () => {
  it('of cron runs are the scheduled second and the task', () => {
    expect(cronRunId(1_767_225_600, 42n)).toBe('1767225600-42');
  });

  it('of runs on demand carry a suffix, so that a second can have many', () => {
    expect(onDemandRunId(1_767_225_600, 42n, 'ab12')).toBe('1767225600-42-ab12');
  });

  it('have ten digits of time even for early seconds, so that text sorts as time does', () => {
    expect(cronRunId(7, 1n)).toBe('0000000007-1');
  });

  it('sort by time, whatever the tasks', () => {
    fc.assert(
      fc.property(seconds, seconds, taskIds, taskIds, suffixes, (one, other, a, b, suffix) => {
        fc.pre(one < other);
        expect(cronRunId(one, a) < cronRunId(other, b)).toBe(true);
        expect(onDemandRunId(one, a, suffix) < cronRunId(other, b)).toBe(true);
      }),
    );
  });

  it('are the same only for the same second of the same task', () => {
    fc.assert(
      fc.property(seconds, seconds, taskIds, taskIds, (one, other, a, b) => {
        expect(cronRunId(one, a) === cronRunId(other, b)).toBe(one === other && a === b);
      }),
    );
  });

  it('of a cron run and a run on demand never meet', () => {
    fc.assert(
      fc.property(seconds, taskIds, taskIds, suffixes, (second, a, b, suffix) => {
        expect(cronRunId(second, a)).not.toBe(onDemandRunId(second, b, suffix));
      }),
    );
  });

  it('of a second lie between its first id and the next second’s', () => {
    fc.assert(
      fc.property(seconds, taskIds, suffixes, (second, task, suffix) => {
        for (const id of [cronRunId(second, task), onDemandRunId(second, task, suffix)]) {
          expect(firstIdOfSecond(second) < id && id < firstIdOfSecond(second + 1)).toBe(true);
        }
      }),
    );
  });

  it('of runs on demand sort by start, then by when they were asked for, then by their place in the request', () => {
    const START = 1_767_225_600_000;
    const id = (startsAt: number, askedAt: number, place: number) =>
      onDemandRunId(Math.floor(startsAt / 1000), 42n, demandSuffix({ startsAt, askedAt, place, random: 'zzzzzz' }));
    const inOrder = [
      ...[id(START, START, 0), id(START, START, 1), id(START, START, 35), id(START, START, 36), id(START, START, 999)],
      ...[id(START + 1, START + 1, 0), id(START + 20, START - 86_400_000, 1), id(START + 20, START - 5_000, 0)],
      ...[id(START + 999, START, 0), id(START + 1_000, START, 0)],
    ];
    expect([...inOrder].sort()).toEqual(inOrder);
  });

  it('tell which cron run was admitted ahead of its second', () => {
    const now = 1_767_225_600_250;
    expect(aheadSecond(cronRunId(1_767_225_601, 42n), 42n, now)).toBe(1_767_225_601);
    expect(aheadSecond(cronRunId(1_767_225_600, 42n), 42n, now)).toBeNull();
    expect(aheadSecond(onDemandRunId(1_767_225_601, 42n, 'ab12'), 42n, now)).toBeNull();
    expect(aheadSecond(cronRunId(1_767_225_601, 43n), 42n, now)).toBeNull();
    expect(aheadSecond(null, 42n, now)).toBeNull();
  });

  it('of whatever is admitted by now sort before the first one that is cold', () => {
    const NOW = 1_767_225_600_250;
    const last = onDemandRunId(Math.floor((NOW + 2_000) / 1000), 2n ** 63n - 1n, 'zzzz');
    expect(last < firstIdAfterHotOnes(NOW)).toBe(true);
  });

  it('tell their task', () => {
    fc.assert(
      fc.property(seconds, taskIds, suffixes, (second, task, suffix) => {
        expect(taskIdOf(cronRunId(second, task))).toBe(task);
        expect(taskIdOf(onDemandRunId(second, task, suffix))).toBe(task);
      }),
    );
    for (const other of ['', '7', '7-', '7-x', '-', 'a-1x-2']) expect(taskIdOf(other)).toBeNull();
  });

  it('fit their column', () => {
    const asked = { startsAt: 9_999_999_999_999, askedAt: 9_999_999_999_998, place: 999, random: 'ffffff' };
    const longest = onDemandRunId(9_999_999_999, 2n ** 63n - 1n, demandSuffix(asked));
    expect(longest.length).toBeLessThanOrEqual(64);
  });
});
