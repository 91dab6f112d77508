import { describe, expect, it } from '@jest/globals';
import { spansOf } from './zone-spans.js';

const CHANGE = Date.parse('2026-03-29T01:00:00Z') / 1000;
const DAY = 86_400;

describe('spansOf', () => {
  it.each([-15, -10, -5, -1, 0, 3])('finds a change wherever the range begins (%i days before)', (days) => {
    const from = CHANGE + days * DAY;
    const spans = spansOf('Europe/Berlin', from, CHANGE + 10 * DAY);
    const berlin = { start: CHANGE, end: CHANGE + 10 * DAY, offset: 7200, fixedFrom: CHANGE + 3600 };
    expect(spans.at(-1)).toEqual(berlin);
    expect(spans).toHaveLength(days < 0 ? 2 : 1);
  });

  it('leaves a change at the very end to the next range', () => {
    expect(spansOf('Europe/Berlin', CHANGE - DAY, CHANGE)).toHaveLength(1);
  });

  it('knows what a backward change repeats and a wide forward change skips', () => {
    const fold = Date.parse('2026-10-25T01:00:00Z') / 1000;
    expect(spansOf('Europe/Berlin', fold, fold + DAY)).toEqual([
      { start: fold, end: fold + DAY, offset: 3600, fixedFrom: fold + 7200 },
    ]);
    const apia = Date.parse('2011-12-30T10:00:00Z') / 1000;
    expect(spansOf('Pacific/Apia', apia, apia + DAY)).toEqual([
      { start: apia, end: apia + DAY, offset: 14 * 3600, fixedFrom: apia + 14 * 3600 },
    ]);
  });
});
