import { beforeEach, describe, expect, it } from '@jest/globals';
import { RareCount } from './rare-count.js';

describe('RareCount', () => {
  let now: number;
  let asked: number;
  beforeEach(() => {
    now = 1_000_000;
    asked = 0;
  });

  /** Each question takes `ms`, and the answer is how often it was asked. */
  const countTaking = (ms: number) =>
    new RareCount(
      () => {
        now += ms;
        return Promise.resolve(++asked);
      },
      () => now,
    );

  it('serves an answer for fifteen seconds', async () => {
    const count = countTaking(10);
    expect(await count.read()).toBe(1);
    now += 14_999;
    expect(await count.read()).toBe(1);
    now += 1;
    expect(await count.read()).toBe(2);
  });

  it('serves an answer that was hard to get for longer', async () => {
    const count = countTaking(600);
    await count.read();
    now += 59_999;
    expect(await count.read()).toBe(1);
    now += 1;
    expect(await count.read()).toBe(2);
  });

  it('asks once, however many want to know', async () => {
    const count = countTaking(0);
    expect(await Promise.all([count.read(), count.read(), count.read()])).toEqual([1, 1, 1]);
    expect(asked).toBe(1);
  });

  it('knows nothing after a failure, and asks again', async () => {
    const answers = [Promise.resolve(5), Promise.reject(new Error('away')), Promise.resolve(6)];
    const count = new RareCount(
      () => answers[asked++],
      () => now,
    );
    answers[1].catch(() => undefined);
    const seen: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++, now += 20_000) seen.push(await count.read());
    expect(seen).toEqual([5, undefined, 6]);
  });

  it('does not wait long for a database that does not answer', async () => {
    const count = new RareCount(() => new Promise(() => undefined));
    const began = performance.now();
    expect(await count.read()).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
