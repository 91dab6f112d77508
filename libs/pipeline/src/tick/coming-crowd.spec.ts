import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NewRun } from '#database';
import { pino } from 'pino';
import { ComingCrowd } from './coming-crowd.js';

const run = (id: string) => ({ id }) as NewRun;

describe('a second in which many tasks are due', () => {
  let crowded: number | null = null;
  let asked: [number, number][] = [];
  let begun: { second: number; runs: NewRun[]; end(error?: Error): void }[] = [];
  let atHand = new Map<number, () => void>();
  let told: string[] = [];
  let crowd: ComingCrowd;

  beforeEach(() => {
    [crowded, asked, begun, atHand, told] = [null, [], [], new Map(), []];
    const tick = {
      crowdedSecond: (from: number, to: number) => (asked.push([from, to]), Promise.resolve(crowded)),
      admitAhead: (second: number, runs: NewRun[]) =>
        new Promise<void>((resolve, reject) => {
          begun.push({ second, runs, end: (error) => (error ? reject(error) : resolve()) });
        }),
      announce: (runs: readonly NewRun[]) => Promise.resolve(void told.push(...runs.map(({ id }) => id))),
    };
    const isAtHand = (second: number) => new Promise<void>((resolve) => atHand.set(second, resolve));
    crowd = new ComingCrowd(tick, isAtHand, pino({ enabled: false }));
  });

  const aMoment = () => new Promise((resolve) => setImmediate(resolve));

  it('is looked for beyond the next one, and begun with once', async () => {
    await crowd.look(1_000);
    expect(begun).toEqual([]);
    crowded = 3_000;
    await crowd.look(1_000);
    begun[0].end();
    await aMoment();
    await crowd.look(2_000);
    expect(asked).toEqual([
      [1_000, 3_000],
      [1_000, 3_000],
      [2_000, 4_000],
    ]);
    expect(begun.map(({ second }) => second)).toEqual([3_000]);
  });

  it('is told of when it is at hand; what is admitted later, as soon as it is', async () => {
    crowded = 3_000;
    await crowd.look(1_000);
    begun[0].runs.push(run('a'), run('b'));
    await aMoment();
    expect(told).toEqual([]);
    atHand.get(3_000)?.();
    await aMoment();
    expect(told).toEqual(['a', 'b']);
    begun[0].runs.push(run('c'));
    begun[0].end();
    await aMoment();
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('does not make another one forgotten', async () => {
    crowded = 3_000;
    await crowd.look(1_000);
    crowded = 4_000;
    await crowd.look(2_000);
    expect(begun).toHaveLength(1);
    begun[0].runs.push(run('a'));
    begun[0].end(new Error('the database is away'));
    await aMoment();
    await crowd.look(2_000);
    begun[1].runs.push(run('b'));
    begun[1].end();
    atHand.get(4_000)?.();
    await aMoment();
    expect(told).toEqual(['b']);
    atHand.get(3_000)?.();
    await aMoment();
    expect(told).toEqual(['b', 'a']);
  });

  it('is told at once by a scheduler that stops: the queue keeps it until it is due', async () => {
    crowded = 3_000;
    await crowd.look(1_000);
    begun[0].runs.push(run('a'));
    const ended = crowd.end();
    begun[0].runs.push(run('b'));
    begun[0].end();
    await ended;
    expect(told.sort()).toEqual(['a', 'b']);
  });
});
