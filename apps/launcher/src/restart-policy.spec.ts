import { describe, expect, it } from '@jest/globals';
import { afterExit, NO_HISTORY, type RestartHistory } from './restart-policy.js';

function delaysOf(deaths: number, aliveMs: number): number[] {
  let history: RestartHistory = NO_HISTORY;
  return Array.from({ length: deaths }, () => {
    const verdict = afterExit(history, aliveMs, true);
    if (verdict.kind === 'give-up') throw new Error('gave up');
    history = verdict.history;
    return verdict.delayMs;
  });
}

describe('restarting a child', () => {
  it('waits twice as long each time, up to 30 seconds', () => {
    expect(delaysOf(9, 1_000)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('starts over after a minute of life', () => {
    expect(afterExit({ nextDelayMs: 16_000, quickExits: 4 }, 60_000, true)).toEqual({
      kind: 'restart',
      delayMs: 500,
      history: { nextDelayMs: 1_000, quickExits: 0 },
    });
  });

  it('gives up at the third quick death in a row before anything was ready', () => {
    const second = afterExit(NO_HISTORY, 100, false);
    expect(second.kind).toBe('restart');
    expect(afterExit({ nextDelayMs: 2_000, quickExits: 2 }, 4_999, false)).toEqual({ kind: 'give-up' });
    expect(afterExit({ nextDelayMs: 2_000, quickExits: 2 }, 5_000, false).kind).toBe('restart');
  });

  it('never gives up on what has worked once', () => {
    expect(afterExit({ nextDelayMs: 30_000, quickExits: 50 }, 10, true).kind).toBe('restart');
  });
});
