import { describe, expect, it } from '@jest/globals';
import { ReceiverShares } from './receiver-shares.js';

describe('ReceiverShares', () => {
  it('lets a receiver have its share, and others theirs', () => {
    const shares = new ReceiverShares(2);
    expect([shares.begin('a', 0), shares.begin('a', 0), shares.begin('b', 0)]).toEqual([null, null, null]);
    expect(shares.begin('a', 0)).toBe(250);
    shares.end('a', 10);
    expect(shares.begin('a', 0)).toBeNull();
  });

  it('calls back those it puts off one after the other, at the pace of a receiver that hangs', () => {
    const shares = new ReceiverShares(2);
    shares.begin('a', 0);
    for (let i = 0; i < 40; i++) {
      shares.begin('a', 0);
      shares.end('a', 10_000);
    }
    shares.begin('a', 0);
    const waits = [1, 2, 3].map(() => shares.begin('a', 0) ?? 0);
    expect(waits[1] - waits[0]).toBeGreaterThan(4_000);
    expect(waits[2] - waits[1]).toBe(waits[1] - waits[0]);
  });

  it('forgets a receiver that nothing is sent to', () => {
    const shares = new ReceiverShares(1);
    shares.begin('a', 0);
    shares.end('a', 10);
    shares.end('a', 10);
    expect(shares.begin('a', 0)).toBeNull();
    expect(shares.begin('a', 0)).toBe(250);
  });
});
