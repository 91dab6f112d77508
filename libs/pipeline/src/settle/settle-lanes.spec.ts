import { describe, expect, it } from '@jest/globals';
import type { Settlement } from '#database';
import { SettleLanes } from './settle-lanes.js';

/** Notes what it is told, and settles at once. */
class NotingLane {
  readonly tasks: number[] = [];
  hurried = 0;

  add({ taskId }: Settlement): Promise<boolean> {
    this.tasks.push(Number(taskId));
    return Promise.resolve(true);
  }

  hurry(): void {
    this.hurried++;
  }

  skipLate(): Promise<void> {
    return Promise.resolve();
  }
}

const resultOf = (task: number) => ({ taskId: BigInt(task) }) as Settlement;

describe('SettleLanes', () => {
  const open = () => {
    const [first, second] = [new NotingLane(), new NotingLane()];
    return { first, second, lanes: new SettleLanes([first, second]) };
  };

  it('closes everything in one group while no calls wait', async () => {
    const { first, second, lanes } = open();
    for (const task of [1, 2, 3, 4]) expect(await lanes.add(resultOf(task), false, false)).toBe(true);
    expect([first.tasks, second.tasks]).toEqual([[1, 2, 3, 4], []]);
  });

  it('shares out a backlog by task, so that two groups never want the same one', async () => {
    const { first, second, lanes } = open();
    for (const task of [1, 2, 3, 4, 1, 2, 3, 4]) await lanes.add(resultOf(task), false, true);
    expect([new Set(first.tasks), new Set(second.tasks)]).toEqual([new Set([2, 4]), new Set([1, 3])]);
    expect(first.tasks.length + second.tasks.length).toBe(8);
    expect([first.hurried, second.hurried]).toEqual([0, 0]);
  });

  it('lets no other group wait for more once no calls wait', async () => {
    const { first, second, lanes } = open();
    await lanes.add(resultOf(1), false, true);
    await lanes.add(resultOf(3), true, false);
    expect([first.hurried, second.hurried]).toEqual([0, 1]);
  });
});
