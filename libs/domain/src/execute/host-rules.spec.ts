import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  comeBackAt,
  type HostLoad,
  type HostRules,
  mayStart,
  mayWaitClaimed,
  mostClaimed,
  planLine,
  startableWithin,
} from './host-rules.js';

const SHARING: HostRules = { most: 128, shares: true, rate: 0 };
const host = (held: number, callMs = 100, tokens = Infinity, isQuick = false): HostLoad => ({
  ...{ held, callMs, tokens, isQuick },
});

/** Hosts that take whatever they may, in turns, and never give a slot back. */
function hog(slots: number, hosts: number, rules: HostRules, areQuick = false): number[] {
  const held = Array<number>(hosts).fill(0);
  let free = slots;
  for (let took = true; took;) {
    took = false;
    for (let one = 0; one < hosts; one++) {
      if (!mayStart(host(held[one], 100, Infinity, areQuick), free, rules)) continue;
      held[one]++;
      free--;
      took = true;
    }
  }
  return held;
}

describe('mayStart', () => {
  it.each([
    [50, 1, [25]],
    [50, 2, [17, 17]],
    [50, 4, [10, 10, 10, 10]],
    [1, 1, [1]],
    [2, 1, [1]],
    [3, 1, [2]],
    [3, 5, [1, 1, 1, 0, 0]],
  ])('%i slots and %i hosts that hang: %j are taken', (slots, hosts, taken) => {
    expect(hog(slots, hosts, SHARING)).toEqual(taken);
  });

  it.each([
    [50, 1, [40]],
    [50, 2, [22, 22]],
    [5, 1, [4]],
    [2, 1, [1]],
    [1, 1, [1]],
  ])('%i slots and %i hosts that were quick until they hang: %j are taken', (slots, hosts, taken) => {
    expect(hog(slots, hosts, SHARING, true)).toEqual(taken);
  });

  it('leaves a slot to a host that has none, as long as there are fewer hosts than slots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.integer({ min: 1, max: 20 }), (slots, hosts) => {
        const held = hog(slots, hosts, SHARING).reduce((sum, one) => sum + one, 0);
        if (hosts < slots) expect(mayStart(host(0), slots - held, SHARING)).toBe(true);
      }),
    );
  });

  it('lets a host have exactly what was set for it, free slots or not', () => {
    const rules = { ...SHARING, most: 40, shares: false };
    expect(hog(50, 1, rules)).toEqual([40]);
    expect(hog(50, 2, rules)).toEqual([25, 25]);
  });

  it('never opens more calls than there are connections', () => {
    expect(hog(500, 1, SHARING)).toEqual([128]);
  });

  it('starts nothing without a slot or a token', () => {
    expect(mayStart(host(0), 0, SHARING)).toBe(false);
    expect(mayStart(host(0, 100, 0.9), 50, SHARING)).toBe(false);
    expect(mayStart(host(0, 100, 1), 50, SHARING)).toBe(true);
  });
});

describe('mayWaitClaimed', () => {
  const FEW: HostRules = { most: 5, shares: false, rate: 0 };

  it.each([
    ['a swift host', host(40, 2, Infinity, true), SHARING, true],
    ['one of which nothing is known', host(0, 0), SHARING, false],
    ['one that is quick, but not swift', host(40, 60, Infinity, true), SHARING, false],
    ['one without a token', host(40, 2, 0, true), SHARING, false],
    ['one of few calls at a time, while its turn comes soon', host(37, 20, Infinity, true), FEW, true],
    ['the same, when it would take longer', host(38, 20, Infinity, true), FEW, false],
  ])('%s', (_, load, rules, expected) => {
    expect(mayWaitClaimed(load, rules)).toBe(expected);
  });
});

describe('mostClaimed', () => {
  it.each([
    ['nothing is known', 0, 300],
    ['calls are over at once', 1, 300],
    ['calls take long for a swift host', 50, 100],
    ['most calls are those of slow hosts', 400, 12],
  ])('is, for 50 slots, where %s', (_, callMs, most) => {
    expect(mostClaimed(50, callMs)).toBe(most);
  });

  it('has an end, and is never more than all slots start in 100 ms', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0.1, max: 10_000 }), (slots, callMs) => {
        expect(mostClaimed(slots, callMs)).toBeLessThanOrEqual(Math.min(1_000, (slots * 100) / callMs));
      }),
    );
  });
});

describe('startableWithin', () => {
  it('is how many calls its slots can make in that time', () => {
    expect(startableWithin(1_000, host(25, 500), 25, SHARING)).toBe(50);
    expect(startableWithin(1_000, host(25, 60_000), 25, SHARING)).toBe(0);
  });

  it('is how many its rate allows, when that is fewer', () => {
    const rules = { ...SHARING, rate: 10 };
    expect(startableWithin(1_000, host(0, 5, 0.5), 50, rules)).toBe(10);
    expect(startableWithin(1_000, host(2, 4_000, 0.5), 10, rules)).toBe(2);
  });

  it('is any number while nothing is known', () => {
    expect(startableWithin(1, host(25, 0), 25, SHARING)).toBe(Infinity);
  });
});

describe('planLine', () => {
  it('waits with the job for a host that is fast', () => {
    expect(planLine(host(25, 10), 25, SHARING, 50)).toEqual({ parked: 50, kept: 625 });
  });

  it('parks some runs of a host that is slow, and holds no job for it', () => {
    expect(planLine(host(25, 500), 25, SHARING, 50)).toEqual({ parked: 50, kept: 50 });
    expect(planLine(host(25, 2_500), 25, SHARING, 50)).toEqual({ parked: 10, kept: 10 });
  });

  it('keeps nothing of a host that hangs', () => {
    expect(planLine(host(25, 30_000), 25, SHARING, 50)).toEqual({ parked: 0, kept: 0 });
  });

  it('keeps what the rate will let through', () => {
    expect(planLine(host(1, 5, 0), 49, { ...SHARING, rate: 20 }, 50)).toEqual({ parked: 20, kept: 20 });
  });
});

describe('comeBackAt', () => {
  it('is sooner for a host that is only slow than for one that hangs', () => {
    expect(comeBackAt(0, 0, host(25, 200), SHARING, 50)).toBe(250);
    expect(comeBackAt(0, 0, host(25, 2_000), SHARING, 50)).toBe(500);
    expect(comeBackAt(0, 0, host(25, 60_000), SHARING, 50)).toBe(1_000);
  });

  it('brings a backlog back bit by bit, but never later than in five seconds', () => {
    let previous = 0;
    const times = Array.from(
      { length: 600 },
      () => (previous = comeBackAt(0, previous, host(25, 60_000), SHARING, 50)),
    );
    expect(times.slice(0, 3)).toEqual([1_000, 1_010, 1_020]);
    expect(times.at(-1)).toBe(5_000);
  });

  it('follows the rate', () => {
    expect(comeBackAt(0, 1_000, host(1, 5, 0), { ...SHARING, rate: 50 }, 50)).toBe(2_000);
  });
});
