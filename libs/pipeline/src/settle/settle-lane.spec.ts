import { describe, expect, it } from '@jest/globals';
import { MOST, SettleLane } from './settle-lane.js';

/** Longer than any test: whatever goes has another reason. */
const NEVER_MS = 3_600_000;
const FEW = { enough: 3, waitMs: NEVER_MS };
const MANY = { enough: MOST, waitMs: NEVER_MS };

/** A lane whose groups are on their way until they are told to arrive. */
function openLane() {
  const groups: number[][] = [];
  const arrivals: (() => void)[] = [];
  const lane = new SettleLane<number>(FEW, (items) => {
    groups.push(items);
    return new Promise((arrive) => arrivals.push(arrive));
  });
  const arrive = async () => {
    arrivals.shift()!();
    await new Promise(setImmediate);
  };
  const add = (count: number, pace: typeof FEW) => {
    for (let i = 0; i < count; i++) lane.add(i, false, pace);
  };
  const end = async () => {
    lane.hurry();
    while (arrivals.length > 0) await arrive();
  };
  return { lane, add, arrive, end, sizes: () => groups.map((items) => items.length) };
}

describe('SettleLane', () => {
  it('closes a group once enough has come together, and the next one not before that has arrived', async () => {
    const { add, arrive, end, sizes } = openLane();
    add(2, FEW);
    expect(sizes()).toEqual([]);
    add(1, FEW);
    expect(sizes()).toEqual([3]);
    add(3, FEW);
    expect(sizes()).toEqual([3]);
    await arrive();
    expect(sizes()).toEqual([3, 3]);
    await end();
  });

  it('does not wait for others behind the last one', async () => {
    const { lane, end, sizes } = openLane();
    lane.add(1, true, MANY);
    expect(sizes()).toEqual([1]);
    await end();
  });

  it('goes on at once where a full group has gathered meanwhile, and lets the rest gather', async () => {
    const { add, arrive, end, sizes } = openLane();
    add(MOST, MANY);
    add(MOST + 5, MANY);
    await arrive();
    expect(sizes()).toEqual([MOST, MOST]);
    await arrive();
    expect(sizes()).toEqual([MOST, MOST]);
    add(MOST - 5, MANY);
    expect(sizes()).toEqual([MOST, MOST, MOST]);
    await end();
  });

  it.each(['hurried', 'the last'])('goes on at once, whatever has gathered, when it was %s meanwhile', async (how) => {
    const { lane, add, arrive, end, sizes } = openLane();
    add(MOST, MANY);
    add(7, MANY);
    if (how === 'hurried') lane.hurry();
    else lane.add(7, true, MANY);
    await arrive();
    expect(sizes()).toEqual([MOST, how === 'hurried' ? 7 : 8]);
    await end();
  });

  it('has nothing to hurry when nothing waits', () => {
    const { lane, sizes } = openLane();
    lane.hurry();
    expect(sizes()).toEqual([]);
  });
});
