import { describe, expect, it } from '@jest/globals';
import { parseSchedule } from '../schedule/index.js';
import { explain } from './explain.js';
import type { ExplainFacts, RunFact } from './explanation.js';

const at = (text: string): number => Date.parse(text) / 1000;
const NOON = at('2026-06-01T12:00:00Z');

const facts = (given: Partial<ExplainFacts> = {}): ExplainFacts => ({
  at: NOON,
  now: NOON + 3600,
  schedule: parseSchedule('0 * * * *', 'UTC'),
  enabled: true,
  createdAt: NOON - 86_400,
  changedAt: NOON - 86_400,
  startAt: null,
  endAt: null,
  nextFireAt: NOON + 2 * 3600,
  run: null,
  gap: null,
  ...given,
});

const run = (given: Partial<RunFact> = {}): RunFact => ({
  id: 'r1',
  trigger: 'CRON',
  status: 'SUCCESS',
  skipReason: null,
  blockedBy: null,
  scheduledTime: NOON,
  missedFrom: null,
  missedCount: null,
  ...given,
});
const skipped = (skipReason: RunFact['skipReason'], given: Partial<RunFact> = {}) =>
  run({ status: 'SKIPPED', skipReason, ...given });
const gap = { scheduledTime: NOON + 7200, missedFrom: NOON - 3600, missedCount: 4 };
const every = parseSchedule('@every 90s', 'UTC');
const berlin = parseSchedule('30 2 * * *', 'Europe/Berlin');
const minutes = parseSchedule('*/5 2 * * *', 'Europe/Berlin');

describe('why a second did or did not fire', () => {
  it.each<[string, Partial<ExplainFacts>, string, RegExp]>([
    ['its run', { run: run() }, 'FIRED', /Run r1 is SUCCESS/],
    ['its run, though disabled since', { run: run(), enabled: false }, 'FIRED', /r1/],
    ['a run of a second that is no longer due', { run: run(), schedule: berlin }, 'FIRED', /r1/],
    ['skipped', { run: skipped('OVERLAP', { blockedBy: 'r0' }) }, 'SKIPPED', /not finished.*run r0 stood in the way/],
    ['its own row of a gap', { run: skipped('MISSED', { ...gap, scheduledTime: NOON }) }, 'MISSED', /4 due seconds/],
    ['inside a gap', { gap: skipped('MISSED', gap) }, 'MISSED', /from 2026-06-01T11:00:00Z to 2026-06-01T14:00:00Z/],
    ['inside a compacted gap', { gap: run({ ...gap, trigger: 'CATCH_UP' }) }, 'FIRED', /stands for this.*COMPACT/],
    ['a compacted gap that was skipped', { gap: skipped('CONCURRENCY', gap) }, 'SKIPPED', /slots were taken/],
    ['between the seconds of a gap', { at: NOON + 1, gap: skipped('MISSED', gap) }, 'NOT_DUE', /13:00:00Z/],
    ['before a gap', { gap: skipped('MISSED', { ...gap, missedFrom: NOON + 3600 }) }, 'MISSED', /no run of it/],
    ['not a second of the schedule', { at: NOON + 1 }, 'NOT_DUE', /next one is 2026-06-01T13:00:00Z/],
    ['on demand only', { schedule: null }, 'NOT_DUE', /on demand/],
    ['disabled', { enabled: false }, 'DISABLED', /is disabled/],
    ['disabled, and not due either', { at: NOON + 1, enabled: false }, 'DISABLED', /is disabled/],
    ['not due, and disabled since', { at: NOON + 1, enabled: false, changedAt: NOON + 9 }, 'NOT_DUE', /disabled since/],
    ['before it was created', { createdAt: NOON + 0.2, changedAt: NOON + 0.2 }, 'DISABLED', /another schedule then/],
    ['long before it was created', { createdAt: NOON + 60 }, 'DISABLED', /did not exist yet/],
    ['before start_at', { startAt: NOON + 1 }, 'DISABLED', /start_at/],
    ['after end_at', { endAt: NOON - 1 }, 'DISABLED', /end_at/],
    ['changed since', { changedAt: NOON + 10 }, 'DISABLED', /disabled or had another schedule.*12:00:10Z/],
    ['no trace', {}, 'MISSED', /no run of it is on record/],
    ['no trace, and long ago', { forgottenBefore: NOON + 0.5 }, 'FORGOTTEN', /before 2026-06-01T12:00:01Z are not all/],
    ['no trace since all is kept', { forgottenBefore: NOON }, 'MISSED', /no run of it is on record/],
    ['its run, however long ago', { run: run(), forgottenBefore: NOON + 60 }, 'FIRED', /r1/],
    ['still to come', { now: NOON - 5 }, 'NOT_DUE', /Not yet.*will be due/],
    ['being decided', { now: NOON + 0.1, nextFireAt: NOON }, 'NOT_DUE', /Not yet.*about to decide/],
    ['skipped by the clock', { at: at('2026-03-29T01:05:00Z'), schedule: minutes }, 'DST_GAP', /forward from 02:00:00/],
    ['the second time', { at: at('2026-10-25T01:30:00Z'), schedule: berlin }, 'DST_FOLD', /has fired before/],
    [
      'fired at the end of a clock gap',
      { at: at('2026-03-29T01:00:00Z'), schedule: berlin, run: run({ scheduledTime: at('2026-03-29T01:00:00Z') }) },
      'FIRED',
      /fire once, here/,
    ],
    ['@every, planned', { schedule: every, nextFireAt: NOON }, 'NOT_DUE', /Not yet/],
    ['@every, past', { schedule: every, nextFireAt: NOON + 30 }, 'NOT_DUE', /will at 2026-06-01T12:00:30Z/],
    ['@every, inside a gap', { at: NOON - 3510, schedule: every, gap: skipped('MISSED', gap) }, 'MISSED', /4 due/],
    ['@every, between', { at: NOON - 3511, schedule: every, gap: skipped('MISSED', gap) }, 'NOT_DUE', /did not fire/],
    ['@every, over', { schedule: every, nextFireAt: null }, 'NOT_DUE', /nothing is planned/],
  ])('%s', (_title, given, answer, detail) => {
    const explained = explain(facts(given));
    expect(explained.answer).toBe(answer);
    expect(explained.detail).toMatch(detail);
  });

  it.each<[string, Partial<ExplainFacts>, number | undefined]>([
    ['after a second that is not due', { at: NOON + 1 }, NOON + 3600],
    ['the second itself while it is to come', { now: NOON - 5 }, NOON],
    ['not beyond end_at', { at: NOON + 1, endAt: NOON + 60 }, undefined],
    ['the first within start_at', { startAt: NOON + 5 * 3600 }, NOON + 5 * 3600],
    ['of @every, counted from what is planned', { schedule: every, at: NOON + 100, nextFireAt: NOON }, NOON + 180],
    ['after a clock gap', { at: at('2026-03-29T01:05:00Z'), schedule: minutes }, at('2026-03-30T00:00:00Z')],
  ])('the next due second: %s', (_title, given, next) => expect(explain(facts(given)).nextDue).toBe(next));
});
