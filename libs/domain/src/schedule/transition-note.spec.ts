import { describe, expect, it } from '@jest/globals';
import { clockChangeAt, parseSchedule, transitionNote } from './index.js';

const at = (text: string): number => Date.parse(text) / 1000;
const note = (expr: string, zone: string, instant: string): string | undefined =>
  transitionNote(parseSchedule(expr, zone), at(instant));

const FORWARD = 'Clocks in Europe/Berlin go forward from 02:00:00 to 03:00:00: ';
const BACK = 'Clocks in Europe/Berlin go back from 03:00:00 to 02:00:00: ';

describe('a fire at a clock change', () => {
  it.each([
    ['30 2 * * *', '2026-03-29T01:00:00Z', `${FORWARD}the due times in between fire once, here.`],
    ['0 2,3 * * *', '2026-03-29T01:00:00Z', `${FORWARD}the due times in between fire once, here.`],
    ['*/30 * * * *', '2026-03-29T01:00:00Z', `${FORWARD}the due times in between do not fire.`],
    ['* 2 * * *', '2026-03-30T00:00:00Z', `${FORWARD}the due times in between do not fire.`],
    ['30 2 * * *', '2026-03-29T01:30:00Z', `${FORWARD}the due times in between fire once, at the change.`],
    ['0 3 * * *', '2026-03-29T01:00:00Z', undefined],
    ['*/30 * * * *', '2026-03-29T01:30:00Z', undefined],
    ['30 2 * * *', '2026-10-25T00:30:00Z', `${BACK}this time comes twice, only the first fires.`],
    ['30 2 * * *', '2026-10-25T01:30:00Z', `${BACK}this time has fired before.`],
    ['*/30 * * * *', '2026-10-25T00:30:00Z', `${BACK}this time comes twice and fires twice, here the first time.`],
    ['*/30 * * * *', '2026-10-25T01:30:00Z', `${BACK}this time comes twice and fires twice, here the second time.`],
    ['*/30 * * * *', '2026-10-25T02:00:00Z', undefined],
    ['30 2 * * *', '2026-06-01T00:30:00Z', undefined],
    ['@every 1h', '2026-03-29T01:00:00Z', undefined],
  ])('%s at %s: %s', (expr, instant, expected) => expect(note(expr, 'Europe/Berlin', instant)).toBe(expected));

  it('names the dates where a whole day is skipped', () => {
    expect(note('0 12 * * *', 'Pacific/Apia', '2011-12-30T22:00:00Z')).toBe(
      'Clocks in Pacific/Apia go forward from 2011-12-30 00:00:00 to 2011-12-31 00:00:00: the due times in between do not fire.',
    );
  });

  it('tells gap and fold apart for seconds that did not fire, too', () => {
    const change = { at: at('2026-03-29T01:00:00Z'), from: '02:00:00', to: '03:00:00', fires: false };
    const schedule = parseSchedule('*/5 2 * * *', 'Europe/Berlin');
    expect(clockChangeAt(schedule, at('2026-03-29T01:05:00Z'))).toEqual({ kind: 'gap', ...change });
    expect(clockChangeAt(schedule, at('2026-03-29T01:06:00Z'))).toBeUndefined();
    expect(clockChangeAt(parseSchedule('5 2 * * *', 'Europe/Berlin'), at('2026-10-25T01:05:00Z'))).toMatchObject({
      kind: 'fold',
      occurrence: 2,
      fires: false,
    });
  });
});
