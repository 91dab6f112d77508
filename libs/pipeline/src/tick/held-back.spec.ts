import { describe, expect, it } from '@jest/globals';
import { HeldBack } from './held-back.js';

describe('tasks that have had their share of a second', () => {
  it('wait to its end, whenever they were added, and are free in the next', () => {
    const held = new HeldBack();
    expect(held.at(5_100)).toEqual([]);
    held.add([7n, 8n]);
    held.add([7n]);
    expect(held.at(5_999)).toEqual([7n, 8n]);
    expect(held.at(6_000)).toEqual([]);
    expect(held.at(6_001)).toEqual([]);
  });

  it('leaves out of what was claimed the tasks that another lane has held back meanwhile', () => {
    const held = new HeldBack();
    const claimed = [{ id: 1n }, { id: 2n }];
    expect(held.without(claimed, 5_000)).toEqual(claimed);
    held.add([1n]);
    expect(held.without(claimed, 5_999)).toEqual([{ id: 2n }]);
    expect(held.without(claimed, 6_000)).toEqual(claimed);
  });
});
