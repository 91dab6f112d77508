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
    expect([0, now - 1, now].map((dueAt) => early.keeps(dueAt, look))).toEqual([false, false, false]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps its job when it is due in a moment, and is never too soon', async () => {
    const dueAt = now + 60;
    expect(early.keeps(dueAt, look)).toBe(false);
    const comes = early.comes(dueAt).then(look);
    // The timer is through, but by the database's clock a moment is missing.
    now = dueAt - 1;
    await jest.advanceTimersByTimeAsync(60);
    expect(look).not.toHaveBeenCalled();
    now = dueAt;
    await jest.advanceTimersByTimeAsync(1);
    await comes;
    expect(look).toHaveBeenCalledTimes(1);
  });

  it('does not wait with its job when it is due long after, or already', async () => {
    await Promise.all([early.comes(now + 1_001), early.comes(now), early.comes(0)]);
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
