import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NewRun } from '#database';
import { pino } from 'pino';
import { ComingCrowd } from './coming-crowd.js';

const run = (id: string) => ({ id }) as NewRun;
const AT_HAND_MS = 60;

describe('a second in which many tasks are due', () => {
  let now = 0;
  let crowded: number | null = null;
  let asked: [number, number][] = [];
  let begun: { second: number; runs: NewRun[]; end(error?: Error): void }[] = [];
  let told: string[] = [];
  let crowd: ComingCrowd;

  beforeEach(() => {
    [now, crowded, asked, begun, told] = [0, null, [], [], []];
    const tick = {
      crowdedSecond: (from: number, to: number) => (asked.push([from, to]), Promise.resolve(crowded)),
      admitAhead: (second: number, runs: NewRun[]) =>
        new Promise<void>((resolve, reject) => {
          begun.push({ second, runs, end: (error) => (error ? reject(error) : resolve()) });
        }),
      announce: (runs: readonly NewRun[]) => Promise.resolve(void told.push(...runs.map(({ id }) => id))),
    };
    crowd = new ComingCrowd(tick, { now: () => now }, AT_HAND_MS, pino({ enabled: false }));
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

  it('is handed over with what is admitted by then; what is added later is told by itself', async () => {
    crowded = 3_000;
    await crowd.look(1_000);
    begun[0].runs.push(run('a'), run('b'));
    const runs = crowd.take(3_000);
    expect(runs.splice(0).map(({ id }) => id)).toEqual(['a', 'b']);
    now = 3_000;
    begun[0].runs.push(run('c'));
    begun[0].end();
    await aMoment();
    expect(told).toEqual(['c']);
    expect(crowd.take(3_000)).toEqual([]);
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
    await aMoment();
    expect(told).toEqual([]);
    expect([crowd.take(3_000), crowd.take(4_000)]).toEqual([[run('a')], [run('b')]]);
  });

  it('is told at once by a scheduler that stops: the queue keeps it until it is due', async () => {
    crowded = 3_000;
    await crowd.look(1_000);
    begun[0].runs.push(run('a'));
    const stopped = crowd.stop();
    begun[0].end();
    await stopped;
    expect(told).toEqual(['a']);
  });
});
