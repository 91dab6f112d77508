import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Aside } from './aside.js';

interface Result {
  taskId: bigint;
  nth: number;
}

describe('results of a task whose rows somebody holds', () => {
  const held = new Set<bigint>();
  const closed: Result[] = [];
  let atOnce = 0;
  let most = 0;
  const attempt = async (items: readonly Result[]) => {
    most = Math.max(most, ++atOnce);
    await new Promise((done) => setTimeout(done, 5));
    atOnce--;
    if (held.has(items[0].taskId)) return false;
    closed.push(...items);
    return true;
  };
  const aside = new Aside<Result>(attempt, (line) => line.slice(0, 2));
  const nthsOf = (taskId: bigint) => closed.filter((one) => one.taskId === taskId).map((one) => one.nth);

  it('wait in their own line, in order, while others that stepped aside go on, and are closed when the rows are free', async () => {
    held.add(1n);
    for (const nth of [1, 2, 3]) for (const taskId of [1n, 2n]) aside.add({ taskId, nth });
    while (nthsOf(2n).length < 3) await pause(5);
    expect([nthsOf(1n), nthsOf(2n)]).toEqual([[], [1, 2, 3]]);
    expect(aside.has(1n)).toBe(true);
    held.clear();
    while (aside.has(1n)) await pause(5);
    expect(nthsOf(1n)).toEqual([1, 2, 3]);
    expect(aside.has(2n)).toBe(false);
    // Lines take turns: one connection at most waits for rows that are held.
    expect(most).toBe(1);
  });
});
