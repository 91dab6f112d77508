import { describe, expect, it } from '@jest/globals';
import { Random } from './random.js';

const draw = (random: Random, count = 50) => Array.from({ length: count }, () => random.between(0, 1_000_000));

describe('chance that can be repeated', () => {
  it('is the same for the same seed and names, on any machine', () => {
    expect(draw(Random.of(42, 7, 'embedded'))).toEqual(draw(Random.of(42, 7, 'embedded')));
    expect(draw(Random.of(42, 7, 'embedded'), 3)).toEqual([723_564, 119_636, 78_736]);
  });

  it('is another for another seed, another scenario and another stack', () => {
    const streams = [Random.of(42, 7, 'embedded'), Random.of(43, 7, 'embedded'), Random.of(42, 8, 'embedded')];
    streams.push(Random.of(42, 7, 'postgres-redis'));
    expect(new Set(streams.map((random) => draw(random).join())).size).toBe(4);
  });

  it('has both ends of a range, and nothing beyond', () => {
    const random = Random.of(1);
    const drawn = Array.from({ length: 500 }, () => random.between(3, 6));
    expect([...new Set(drawn)].sort()).toEqual([3, 4, 5, 6]);
  });

  it('chooses every item now and then', () => {
    const random = Random.of(1);
    expect(new Set(Array.from({ length: 200 }, () => random.of(['a', 'b', 'c']))).size).toBe(3);
  });
});
