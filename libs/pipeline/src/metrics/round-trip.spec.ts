import { describe, expect, it } from '@jest/globals';
import { RoundTrip } from './round-trip.js';

describe('RoundTrip', () => {
  it('tells how long an answer took, and does not ask again for five seconds', async () => {
    let now = 0;
    let asked = 0;
    const trip = new RoundTrip(
      () => Promise.resolve((now += 20 * ++asked)),
      () => now,
    );
    expect(await trip.read()).toBe(0.02);
    now += 4_999;
    expect(await trip.read()).toBe(0.02);
    now += 1;
    expect(await trip.read()).toBe(0.04);
    expect(asked).toBe(2);
  });

  it('asks once, however many want to know', async () => {
    let asked = 0;
    const trip = new RoundTrip(() => Promise.resolve(++asked));
    await Promise.all([trip.read(), trip.read(), trip.read()]);
    expect(asked).toBe(1);
  });

  it('knows nothing while the server refuses, and nothing of what it said before', async () => {
    let now = 0;
    let isAway = false;
    const trip = new RoundTrip(
      () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
      () => now,
    );
    expect(await trip.read()).toBe(0);
    isAway = true;
    now += 5_000;
    expect(await trip.read()).toBeUndefined();
  });

  it('gives up on a silent server, and asks it no second time before it has answered', async () => {
    let now = 0;
    let asked = 0;
    let answer: () => void = () => undefined;
    const silent = () => {
      asked++;
      return new Promise<void>((resolve) => (answer = resolve));
    };
    const trip = new RoundTrip(silent, () => now, 5);
    expect(await trip.read()).toBeUndefined();
    now += 5_000;
    expect(await trip.read()).toBeUndefined();
    expect(asked).toBe(1);
    answer();
    await Promise.resolve();
    now += 5_000;
    const again = trip.read();
    answer();
    expect(await again).toBe(0);
    expect(asked).toBe(2);
  });
});
