import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cronRunId, firstIdOfSecond, onDemandRunId, taskIdOf } from './run-id.js';

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
    const longest = onDemandRunId(9_999_999_999, 2n ** 63n - 1n, 'ffffffffff');
    expect(longest.length).toBeLessThanOrEqual(64);
  });
});
