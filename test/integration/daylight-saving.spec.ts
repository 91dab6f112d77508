import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openStack, type Stack } from '#testing';
import { type RunningApi, startApi, taskBody } from '../support/api.js';
import { Ticking } from '../support/ticking.js';

interface Case {
  title: string;
  zone: string;
  from: string;
  to: string;
  /** The schedule, and the instants it fires at between the two. */
  fires: [string, string[]][];
}

const CASES: Case[] = [
  {
    title: 'New York springs forward: 02:00 to 03:00 does not exist',
    zone: 'America/New_York',
    from: '2026-03-08T05:00:00Z',
    to: '2026-03-09T08:00:00Z',
    fires: [
      ['30 2 * * *', ['2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z']],
      ['15,45 2 * * *', ['2026-03-08T07:00:00Z', '2026-03-09T06:15:00Z', '2026-03-09T06:45:00Z']],
      ['*/30 2 * * *', ['2026-03-09T06:00:00Z', '2026-03-09T06:30:00Z']],
    ],
  },
  {
    title: 'New York falls back: 01:00 to 02:00 comes twice',
    zone: 'America/New_York',
    from: '2026-11-01T04:30:00Z',
    to: '2026-11-02T06:30:00Z',
    fires: [
      ['30 1 * * *', ['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z']],
      [
        '*/30 1 * * *',
        [
          ...['2026-11-01T05:00:00Z', '2026-11-01T05:30:00Z', '2026-11-01T06:00:00Z', '2026-11-01T06:30:00Z'],
          ...['2026-11-02T06:00:00Z', '2026-11-02T06:30:00Z'],
        ],
      ],
    ],
  },
  {
    title: 'Berlin springs forward at 01:00 UTC',
    zone: 'Europe/Berlin',
    from: '2026-03-29T00:00:00Z',
    to: '2026-03-29T02:00:00Z',
    fires: [
      ['30 2 * * *', ['2026-03-29T01:00:00Z']],
      ['30 * * * *', ['2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z']],
      ['@every 40m', ['2026-03-29T00:40:00Z', '2026-03-29T01:20:00Z', '2026-03-29T02:00:00Z']],
    ],
  },
  {
    title: 'Berlin falls back at 01:00 UTC',
    zone: 'Europe/Berlin',
    from: '2026-10-24T23:30:00Z',
    to: '2026-10-25T02:00:00Z',
    fires: [
      ['30 2 * * *', ['2026-10-25T00:30:00Z']],
      ['30 * * * *', ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']],
    ],
  },
  {
    title: 'Lord Howe springs forward by half an hour',
    zone: 'Australia/Lord_Howe',
    from: '2026-10-03T15:00:00Z',
    to: '2026-10-03T16:00:00Z',
    fires: [
      ['15 2 * * *', ['2026-10-03T15:30:00Z']],
      ['*/15 2 * * *', ['2026-10-03T15:30:00Z', '2026-10-03T15:45:00Z']],
    ],
  },
  {
    title: 'Lord Howe falls back by half an hour',
    zone: 'Australia/Lord_Howe',
    from: '2026-04-04T14:20:00Z',
    to: '2026-04-04T15:29:59Z',
    fires: [
      ['45 1 * * *', ['2026-04-04T14:45:00Z']],
      [
        '*/15 1 * * *',
        ['2026-04-04T14:30:00Z', '2026-04-04T14:45:00Z', '2026-04-04T15:00:00Z', '2026-04-04T15:15:00Z'],
      ],
    ],
  },
  {
    title: 'São Paulo, under the rules it had, loses its midnight',
    zone: 'America/Sao_Paulo',
    from: '2018-11-04T02:30:00Z',
    to: '2018-11-05T02:00:00Z',
    fires: [
      ['0 0 * * *', ['2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z']],
      ['* 0 * * *', ['2018-11-05T02:00:00Z']],
    ],
  },
  {
    title: 'São Paulo, under the rules it had, has the last hour of a day twice',
    zone: 'America/Sao_Paulo',
    from: '2018-02-18T00:59:00Z',
    to: '2018-02-18T03:00:00Z',
    fires: [
      ['30 23 * * *', ['2018-02-18T01:30:00Z']],
      [
        '*/30 23 * * *',
        ['2018-02-18T01:00:00Z', '2018-02-18T01:30:00Z', '2018-02-18T02:00:00Z', '2018-02-18T02:30:00Z'],
      ],
    ],
  },
  {
    title: 'Apia skips a whole day, which is no daylight saving',
    zone: 'Pacific/Apia',
    from: '2011-12-29T20:00:00Z',
    to: '2011-12-31T21:00:00Z',
    fires: [['0 12 * * *', ['2011-12-29T22:00:00Z', '2011-12-30T22:00:00Z']]],
  },
  {
    title: 'Kolkata knows nothing of it',
    zone: 'Asia/Kolkata',
    from: '2026-03-28T20:00:00Z',
    to: '2026-03-29T22:00:00Z',
    fires: [['30 2 * * *', ['2026-03-28T21:00:00Z', '2026-03-29T21:00:00Z']]],
  },
];

describe('when the clocks change', () => {
  let stack: Stack;
  let api: RunningApi;
  let ticking: Ticking;

  beforeAll(async () => {
    stack = await openStack();
    api = await startApi(stack);
    ticking = new Ticking(api.platform);
    jest.spyOn(api.platform.clock, 'now').mockImplementation(() => ticking.clock.now());
  });

  afterAll(async () => {
    await api?.stop();
    await stack?.close();
  });

  afterEach(() => ticking.forget());

  describe.each(CASES)('$title', ({ zone, from, to, fires }) => {
    it.each(fires)('%s fires when it should', async (cron, expected) => {
      ticking.set(from);
      const body = taskBody({ cron_expr: cron, timezone: zone, max_concurrency: 0 });
      const { status, data } = await api.http.post<{ id: string }>('/tasks', body);
      expect(status).toBe(201);
      expect(await ticking.firesUntil(BigInt(data.id), to)).toEqual(expected);
    });
  });

  it('a gap that was missed as a whole is told with what was due in it', async () => {
    ticking.set('2026-03-28T23:59:30Z');
    const body = taskBody({ cron_expr: '0 */10 * * * *', timezone: 'Europe/Berlin', catch_up_mode: 'COMPACT' });
    const { data } = await api.http.post<{ id: string }>('/tasks', body);
    await ticking.tickAt('2026-03-29T02:05:00Z');
    // 01:00 to 02:00 and 03:00 to 04:00 by the clock on the wall: two hours, twelve ticks and the one at the end.
    expect(await ticking.shown(BigInt(data.id))).toEqual([
      '2026-03-29T02:00:00Z CATCH_UP SCHEDULED 13 from 2026-03-29T00:00:00Z',
    ]);
  });
});
