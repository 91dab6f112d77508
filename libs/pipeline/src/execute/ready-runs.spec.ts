import { describe, expect, it, jest } from '@jest/globals';
import type { ClaimedRun } from '#database';
import { Host } from './host.js';
import { LiveExecution } from './live-executions.js';
import { ReadyRuns } from './ready-runs.js';

const RULES = { most: 128, shares: true, rate: 0 };

describe('runs that are claimed and have no slot yet', () => {
  const ready = (host: Host, id: string, priority = 0) => {
    host.promise();
    return { live: new LiveExecution({ id } as ClaimedRun), picked: { id, priority, since: 0, job: null, host } };
  };
  const start = (runs: ReadyRuns, free: number) => {
    const next = runs.next(free, 0);
    next?.picked.host.begin(0);
    return next?.live.run.id;
  };

  it('start in the order in which they were claimed, while there are slots', () => {
    const [a, b] = [new Host('a', 0, 0), new Host('b', 0, 0)];
    const runs = new ReadyRuns(RULES);
    runs.add([ready(a, 'a1'), ready(b, 'b1'), ready(a, 'a2')]);
    expect([start(runs, 5), start(runs, 4), start(runs, 3), start(runs, 2)]).toEqual(['a1', 'b1', 'a2', undefined]);
    runs.add([ready(b, 'b2')]);
    expect(start(runs, 0)).toBeUndefined();
    expect(runs.size).toBe(1);
  });

  it('start before those that were claimed earlier and hurry less', () => {
    const [a, b] = [new Host('a', 0, 0), new Host('b', 0, 0)];
    const runs = new ReadyRuns(RULES);
    runs.add([ready(a, 'a1'), ready(a, 'a2', 4)]);
    runs.add([ready(b, 'b1', 9), ready(b, 'b2', 4)]);
    expect([9, 8, 7, 6].map((free) => start(runs, free))).toEqual(['b1', 'a2', 'b2', 'a1']);
  });

  it('let others go first where their host has had its share', () => {
    const [a, b] = [new Host('a', 0, 0), new Host('b', 0, 0)];
    const runs = new ReadyRuns(RULES);
    runs.add([ready(a, 'a1'), ready(a, 'a2'), ready(a, 'a3'), ready(b, 'b1')]);
    expect([start(runs, 4), start(runs, 3), start(runs, 2), start(runs, 1)]).toEqual(['a1', 'a2', 'b1', undefined]);
  });

  it('ask each host once whether it may have a slot, however many of them wait for it', () => {
    const [a, b, c] = [new Host('a', 0, 0), new Host('b', 0, 0), new Host('c', 0, 0)];
    const runs = new ReadyRuns(RULES);
    runs.add(Array.from({ length: 50 }, (_, i) => [ready(a, `a${i}`), ready(b, `b${i}`)]).flat());
    runs.add([ready(c, 'c1')]);
    for (const host of [a, b]) host.begin(0);
    const asked = [a, b].map((host) => jest.spyOn(host, 'mayCall'));
    expect(start(runs, 1)).toBe('c1');
    for (const asking of asked) expect(asking).toHaveBeenCalledTimes(1);
  });

  it('are given up when they have been seen waiting too often: their host is not as swift as it was', () => {
    const host = new Host('a', 0, 0);
    const runs = new ReadyRuns(RULES);
    runs.add([ready(host, 'a1')]);
    expect(runs.takeLate()).toEqual([]);
    runs.add([ready(host, 'a2', 1)]);
    for (let look = 2; look <= 5; look++) expect(runs.takeLate()).toEqual([]);
    expect(runs.takeLate().map(({ live }) => live.run.id)).toEqual(['a1']);
    expect(runs.takeAll().map(({ live }) => live.run.id)).toEqual(['a2']);
    expect(runs.size).toBe(0);
  });
});
