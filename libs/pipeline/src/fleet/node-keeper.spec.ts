import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Logger } from 'pino';
import { NodeKeeper } from './node-keeper.js';

const LEASE_MS = 10_000;
const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;

describe('a node that keeps its place', () => {
  let told: string[];
  let beats: { load: number; drained: boolean }[];
  let answer: () => Promise<boolean>;
  let idle: boolean;
  let keeper: NodeKeeper;

  beforeEach(() => {
    jest.useFakeTimers();
    told = [];
    beats = [];
    idle = false;
    answer = () => Promise.resolve(false);
    const note = (what: string) => () => Promise.resolve(void told.push(what));
    const register = {
      keep: (beat: { load: number; drained: boolean }) => {
        beats.push(beat);
        return answer();
      },
      ...{ leave: note('leave'), remove: note('remove'), forgetOthers: note('forget') },
    };
    const duty = {
      load: () => 3,
      isIdle: () => idle,
      drain: (draining: boolean) => void told.push(draining ? 'drain' : 'undrain'),
      loseTouch: () => void told.push('lost'),
      regainTouch: () => void told.push('back'),
    };
    keeper = new NodeKeeper(register, duty, { leaseMs: LEASE_MS }, log);
    keeper.start();
  });

  afterEach(async () => {
    await keeper.stop();
    jest.useRealTimers();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('says so at once, and ten times per lease', async () => {
    await pass(1);
    expect(beats).toEqual([{ load: 3, drained: false }]);
    await pass(LEASE_MS);
    expect(beats).toHaveLength(11);
    expect(told).toEqual(['forget']);
  });

  it('hears once that it is to drain, and says when it has nothing left', async () => {
    answer = () => Promise.resolve(true);
    await pass(2_500);
    expect(told).toEqual(['drain', 'forget']);
    expect(beats.at(-1)).toEqual({ load: 3, drained: false });
    idle = true;
    await pass(1_000);
    expect(beats.at(-1)).toEqual({ load: 3, drained: true });
    answer = () => Promise.resolve(false);
    await pass(2_000);
    expect(told.at(-1)).toBe('undrain');
    expect(beats.at(-1)).toEqual({ load: 3, drained: false });
  });

  it.each([
    ['refuses', () => Promise.reject(new Error('away'))],
    ['keeps silent', () => new Promise<boolean>((_, reject) => setTimeout(reject, 60_000))],
  ])(
    'takes itself for dead once the database %s for a whole lease, not before, and only once',
    async (_title, away) => {
      await pass(5);
      answer = away;
      await pass(LEASE_MS - 100);
      expect(told).toEqual(['forget']);
      await pass(200);
      expect(told).toEqual(['forget', 'lost']);
      answer = () => Promise.resolve(false);
      await pass(120_000);
      expect(told.slice(1)).toEqual(['lost', 'back']);
    },
  );

  it('counts its lease from when it asked, not from when the answer came', async () => {
    await pass(5);
    const asked = beats.length;
    answer = () => new Promise((resolve) => setTimeout(() => resolve(false), LEASE_MS - 2_000));
    // The answer to the next beat takes long; the one after that never comes.
    await pass(1_100);
    expect(beats).toHaveLength(asked + 1);
    answer = () => new Promise(() => undefined);
    await pass(LEASE_MS - 2_000);
    expect(told).not.toContain('lost');
    await pass(2_500);
    expect(told).toContain('lost');
  });

  it('is gone from the list when it stops', async () => {
    await pass(5);
    await keeper.stop();
    expect(told).toEqual(['forget', 'remove']);
    await pass(LEASE_MS * 2);
    expect(told).toEqual(['forget', 'remove']);
  });
});
