import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EarlyDispatches } from './early-dispatches.js';

describe('a dispatch that the queue gives out', () => {
  let now = 0;
  const early = new EarlyDispatches({ now: () => now });
  const look = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers();
    look.mockClear();
    now = 1_000_000;
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('is not kept when it is due by the database’s clock, or has no time of its own', () => {
    expect([0, now - 1, now, now + 5].map((dueAt) => early.keeps(dueAt, look))).toEqual([false, false, false, false]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits until it is due when it comes too soon', () => {
    expect(early.keeps(now + 60_000, look)).toBe(true);
    jest.advanceTimersByTime(59_999);
    expect(look).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(look).toHaveBeenCalledTimes(1);
  });

  it('is looked at again and again when it is due later than a timer can wait', () => {
    expect(early.keeps(now + 2 ** 40, look)).toBe(true);
    jest.advanceTimersByTime(2 ** 31 - 1);
    expect(look).toHaveBeenCalledTimes(1);
  });

  it('is left to rescue when the worker stops', () => {
    early.keeps(now + 60_000, look);
    early.stop();
    expect(jest.getTimerCount()).toBe(0);
  });
});
