import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Platform } from '#pipeline';
import { insertTask, openStack, type Stack } from '#testing';
import { readyPlatform } from '../support/product.js';
import { Ticking } from '../support/ticking.js';

/** A task of every minute, whose last tick was decided at 09:59; nobody has been scheduling since. */
const GAP = new Date('2026-01-05T10:00:00Z');
const at = (time: string) => `2026-01-05T${time}Z`;

describe('ticks that were missed', () => {
  let stack: Stack;
  let platform: Platform;
  let ticking: Ticking;

  beforeAll(async () => {
    stack = await openStack();
    platform = await readyPlatform(stack);
    ticking = new Ticking(platform);
  });

  afterAll(async () => {
    await platform?.close();
    await stack?.close();
  });

  afterEach(() => ticking.forget());

  const minutely = (fields: object = {}) =>
    insertTask(platform.database, { cronExpr: '0 * * * * *', maxConcurrency: 0, nextFireAt: GAP, ...fields });

  describe('under NONE', () => {
    it('leave one SKIPPED row that says since when and how many, and only what is on time runs', async () => {
      const { id } = await minutely();
      await ticking.tickAt(at('10:05:01'));
      expect(await ticking.shown(id)).toEqual([
        `${at('10:04:00')} CRON MISSED 5 from ${at('10:00:00')}`,
        `${at('10:05:00')} CRON SCHEDULED`,
      ]);
      expect(ticking.told.map((run) => run.id)).toEqual([`${Date.parse(at('10:05:00')) / 1000}-${id}`]);
      expect(await ticking.nextFire(id)).toBe(at('10:06:00'));
      const [missed] = await ticking.runsOf(id);
      expect(missed).toMatchObject({ finishedAt: new Date(at('10:05:01')), startedAt: null, wakeAt: null });
    });

    it('leave the row alone when nothing is on time', async () => {
      const { id } = await minutely();
      await ticking.tickAt(at('10:05:30'));
      expect(await ticking.shown(id)).toEqual([`${at('10:05:00')} CRON MISSED 6 from ${at('10:00:00')}`]);
      expect(ticking.told).toEqual([]);
    });

    it('take no slot: the counters know only what runs', async () => {
      const { id } = await minutely({ maxConcurrency: 1 });
      await ticking.tickAt(at('10:05:01'));
      const state = await platform.database.client.taskState.findUniqueOrThrow({ where: { taskId: id } });
      expect(state).toMatchObject({ activeRuns: 1, queuedRuns: 0 });
    });

    it.each([
      ['runs when it is as late as the grace time', '10:00:03', 'SCHEDULED'],
      ['is missed a millisecond later', '10:00:03.001', `MISSED 1 from ${at('10:00:00')}`],
    ])('a tick %s', async (_title, now, expected) => {
      const { id } = await minutely();
      await ticking.tickAt(at(now));
      expect(await ticking.shown(id)).toEqual([`${at('10:00:00')} CRON ${expected}`]);
    });

    it('are no ticks before the start or after the end', async () => {
      const early = await minutely({ startAt: new Date(at('10:03:00')) });
      const ended = await minutely({ endAt: new Date(at('10:02:30')) });
      await ticking.tickAt(at('10:05:30'));
      expect(await ticking.shown(early.id)).toEqual([`${at('10:05:00')} CRON MISSED 3 from ${at('10:03:00')}`]);
      expect(await ticking.shown(ended.id)).toEqual([`${at('10:02:00')} CRON MISSED 3 from ${at('10:00:00')}`]);
      expect(await ticking.nextFire(ended.id)).toBeNull();
    });
  });

  describe('under COMPACT', () => {
    it('become one run at the newest of them, which says how many it stands for', async () => {
      const { id } = await minutely({ catchUpMode: 'COMPACT' });
      await ticking.tickAt(at('10:05:30'));
      expect(await ticking.shown(id)).toEqual([`${at('10:05:00')} CATCH_UP SCHEDULED 6 from ${at('10:00:00')}`]);
      expect(ticking.told).toHaveLength(1);
    });

    it('become one run beside what is on time', async () => {
      const { id } = await minutely({ catchUpMode: 'COMPACT' });
      await ticking.tickAt(at('10:05:01'));
      expect(await ticking.shown(id)).toEqual([
        `${at('10:04:00')} CATCH_UP SCHEDULED 5 from ${at('10:00:00')}`,
        `${at('10:05:00')} CRON SCHEDULED`,
      ]);
    });
  });

  describe('under FULL', () => {
    const caught = (...times: string[]) => times.map((time) => `${at(time)} CATCH_UP SCHEDULED`);

    it('come back each, oldest first', async () => {
      const { id } = await minutely({ catchUpMode: 'FULL' });
      await ticking.tickAt(at('10:03:02'));
      expect(await ticking.shown(id)).toEqual([
        ...caught('10:00:00', '10:01:00', '10:02:00'),
        `${at('10:03:00')} CRON SCHEDULED`,
      ]);
      const told = ticking.told.map((run) => run.id);
      expect(told).toEqual([...told].sort());
    });

    it('come back up to the limit, the newest; what is cut off is one MISSED row', async () => {
      const { id } = await minutely({ catchUpMode: 'FULL', catchUpLimit: 2 });
      await ticking.tickAt(at('10:05:30'));
      expect(await ticking.shown(id)).toEqual([
        `${at('10:03:00')} CRON MISSED 4 from ${at('10:00:00')}`,
        ...caught('10:04:00', '10:05:00'),
      ]);
    });

    it('come back a share a second, and what is on time waits for its turn behind them', async () => {
      const { id } = await minutely({ catchUpMode: 'FULL', catchUpLimit: 5 });
      const paced = ticking.tick({ catchUpChunk: 2 });
      const admitted: number[] = [];
      for (const second of ['10:08:30.1', '10:08:31.1', '10:08:32.1', '10:08:33.1']) {
        ticking.set(at(second));
        admitted.push((await paced.runOnce()).runs);
      }
      expect(admitted).toEqual([3, 2, 1, 0]);
      expect(await ticking.shown(id)).toEqual([
        `${at('10:03:00')} CRON MISSED 4 from ${at('10:00:00')}`,
        ...caught('10:04:00', '10:05:00', '10:06:00', '10:07:00', '10:08:00'),
      ]);
      expect(await ticking.nextFire(id)).toBe(at('10:09:00'));
    });

    it('do not come sooner because the scheduler looks again, nor hold up tasks that are on time', async () => {
      const behind = await Promise.all([1, 2, 3].map(() => minutely({ catchUpMode: 'FULL' })));
      const onTime = await minutely({ nextFireAt: new Date(at('10:30:00')) });
      const paced = ticking.tick({ catchUpChunk: 2, batchSize: 2 });
      ticking.set(at('10:30:00.1'));
      expect(await paced.runOnce()).toEqual({ tasks: 4, runs: 7 });
      expect(await ticking.shown(onTime.id)).toEqual([`${at('10:30:00')} CRON SCHEDULED`]);
      expect(await paced.leftBehind()).toBe(false);
      expect(await paced.runOnce()).toEqual({ tasks: 0, runs: 0 });
      ticking.set(at('10:30:01.1'));
      expect(await paced.runOnce()).toEqual({ tasks: 3, runs: 6 });
      for (const { id } of behind) expect(await ticking.runsOf(id)).toHaveLength(4);
    });
  });

  it('for a year of seconds are decided at once', async () => {
    const { id } = await insertTask(platform.database, { nextFireAt: new Date('2025-01-05T10:00:00Z') });
    const before = performance.now();
    await ticking.tickAt(at('10:00:00.5'));
    expect(performance.now() - before).toBeLessThan(10_000);
    const [missed, ...onTime] = await ticking.runsOf(id);
    expect(missed).toMatchObject({ skipReason: 'MISSED', missedCount: 365 * 86_400 - 2 });
    expect(onTime).toHaveLength(3);
  });

  describe('by a scheduler that samples every ten seconds', () => {
    const sampling = { sampling: true, graceSeconds: 12 };
    const secondly = (catchUpMode: string) =>
      insertTask(platform.database, { catchUpMode, maxConcurrency: 0, nextFireAt: new Date(at('10:00:01')) });

    it.each([
      ['NONE: one row', 'NONE', [`${at('10:00:09')} CRON MISSED 9 from ${at('10:00:01')}`]],
      ['COMPACT: one run', 'COMPACT', [`${at('10:00:09')} CATCH_UP SCHEDULED 9 from ${at('10:00:01')}`]],
      ['FULL: each', 'FULL', Array.from({ length: 9 }, (_, i) => `${at(`10:00:0${i + 1}`)} CATCH_UP SCHEDULED`)],
    ])('follow their mode, and the second of the poll runs (%s)', async (_title, mode, gap) => {
      const { id } = await secondly(mode);
      await ticking.tickAt(at('10:00:10.02'), sampling);
      expect(await ticking.shown(id)).toEqual([...gap, `${at('10:00:10')} CRON SCHEDULED`]);
      expect(await ticking.nextFire(id)).toBe(at('10:00:11'));
    });

    it('are none if the task is due once between two polls', async () => {
      const { id } = await minutely({ cronExpr: '5 * * * * *', nextFireAt: new Date(at('10:00:05')) });
      await ticking.tickAt(at('10:00:10.02'), sampling);
      expect(await ticking.shown(id)).toEqual([`${at('10:00:05')} CRON SCHEDULED`]);
    });
  });
});
