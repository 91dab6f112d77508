import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { heartbeatEveryMs, nodeState } from './node-state.js';

describe('the state of a node', () => {
  it.each([
    [0, false, 'ALIVE'],
    [14_999, false, 'ALIVE'],
    [15_000, false, 'SUSPECT'],
    [29_999, false, 'SUSPECT'],
    [30_000, false, 'DEAD'],
    [0, true, 'DRAINING'],
    [29_999, true, 'DRAINING'],
    [30_000, true, 'DEAD'],
    [-50, false, 'ALIVE'],
  ])('after %i ms of silence under a lease of 30 s, draining: %s, is %s', (silentMs, isDraining, state) => {
    expect(nodeState({ silentMs, leaseMs: 30_000, isDraining })).toBe(state);
  });

  it('of one that beats as it should is never in doubt, even when it misses two beats in a row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 3_600 }), fc.boolean(), (leaseSeconds, isDraining) => {
        const leaseMs = leaseSeconds * 1000;
        const silentMs = 3 * heartbeatEveryMs(leaseMs);
        expect(nodeState({ silentMs, leaseMs, isDraining })).toBe(isDraining ? 'DRAINING' : 'ALIVE');
      }),
    );
  });

  it('is asked for often enough that an operator’s order is heard within a few seconds', () => {
    expect(heartbeatEveryMs(5_000)).toBe(500);
    expect(heartbeatEveryMs(3_600_000)).toBe(3_000);
  });
});
