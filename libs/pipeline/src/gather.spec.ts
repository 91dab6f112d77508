import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Gather } from './gather.js';

describe('Gather', () => {
  let acted: number;
  let gather: Gather;

  beforeEach(() => {
    jest.useFakeTimers();
    acted = 0;
    gather = new Gather({ enough: 3, waitMs: 5 }, () => (acted += 1));
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('acts as soon as enough has come together', () => {
    gather.add(false);
    gather.add(false);
    expect(acted).toBe(0);
    gather.add(false);
    expect(acted).toBe(1);
  });

  it('acts a moment after the first when no more come', () => {
    gather.add(false);
    jest.advanceTimersByTime(4);
    expect([acted, gather.isWaiting]).toEqual([0, true]);
    jest.advanceTimersByTime(1);
    expect([acted, gather.isWaiting]).toEqual([1, false]);
  });

  it('does not wait when nothing else is under way', () => {
    gather.add(true);
    expect(acted).toBe(1);
  });

  it('acts once for what has come together', () => {
    for (let i = 0; i < 3; i++) gather.add(false);
    jest.advanceTimersByTime(100);
    expect(acted).toBe(1);
  });

  it('starts anew when what had come together has been seen to', () => {
    gather.add(false);
    gather.add(false);
    gather.clear();
    gather.add(false);
    expect(acted).toBe(0);
    jest.advanceTimersByTime(5);
    expect(acted).toBe(1);
  });

  it('waits at the pace of what can wait longest, until something comes that cannot', () => {
    const patient = { enough: 5, waitMs: 100 };
    for (let i = 0; i < 4; i++) gather.add(false, patient);
    jest.advanceTimersByTime(99);
    expect(acted).toBe(0);
    jest.advanceTimersByTime(1);
    expect(acted).toBe(1);

    gather.add(false, patient);
    gather.add(false);
    jest.advanceTimersByTime(5);
    expect(acted).toBe(2);
    for (let i = 0; i < 5; i++) gather.add(false, patient);
    expect(acted).toBe(3);
  });
});
