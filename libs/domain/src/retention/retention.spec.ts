import { describe, expect, it } from '@jest/globals';
import { attemptsToDrop, DELETED_STATUSES, forgottenBefore, type RetentionAges, retentionSteps } from './index.js';
import { FINAL_STATUSES } from '../run/statuses.js';

const NOW = Date.parse('2026-06-01T12:00:00.500Z');
const DAY = 86_400_000;
const FOREVER = { SUCCESS: null, MANUALLY_PROCESSED: null, FAILED: null, TIMEOUT: null, CANCELED: null, SKIPPED: null };
const ages = (
  archiveAfterMs: number | null,
  deleteAfterMs: Partial<RetentionAges['deleteAfterMs']>,
): RetentionAges => ({
  archiveAfterMs,
  deleteAfterMs: { ...FOREVER, ...deleteAfterMs },
});
const told = (given: RetentionAges) =>
  retentionSteps(given, NOW).map(({ action, from, status }) => `${action} ${status} from ${from}`);

describe('what is done about old runs', () => {
  it('can only ever be about runs that have ended', () => {
    expect([...DELETED_STATUSES].sort()).toEqual([...FINAL_STATUSES].sort());
  });

  it.each<[string, RetentionAges, string[]]>([
    ['nothing, where everything is kept', ages(null, {}), []],
    ['moves what ended well', ages(DAY, {}), ['archive SUCCESS from runs', 'archive MANUALLY_PROCESSED from runs']],
    ['deletes what ended badly where it is', ages(null, { FAILED: DAY }), ['delete FAILED from runs']],
    [
      'deletes what ended well wherever it is, before it moves anything',
      ages(DAY, { SUCCESS: 2 * DAY }),
      [
        'delete SUCCESS from archive',
        'delete SUCCESS from runs',
        'archive SUCCESS from runs',
        'archive MANUALLY_PROCESSED from runs',
      ],
    ],
  ])('%s', (_title, given, expected) => expect(told(given)).toEqual(expected));

  it('counts from the end of a run, and looks at no id that cannot have ended by then', () => {
    const [step] = retentionSteps(ages(null, { SKIPPED: DAY }), NOW);
    expect(step.endedBefore).toBe(NOW - DAY);
    expect(step.beforeId).toBe(String(Date.parse('2026-05-31T12:00:01Z') / 1000));
  });

  it('knows from when on nothing has been deleted yet', () => {
    expect(forgottenBefore(ages(DAY, {}), NOW)).toBeNull();
    expect(forgottenBefore(ages(DAY, { FAILED: 9 * DAY, SKIPPED: 3 * DAY }), NOW)).toBe(NOW - 3 * DAY);
  });
});

describe('the log of a run', () => {
  it.each<[string, number, number, number | null]>([
    ['is whole up to the bound', 20, 20, null],
    ['loses its second attempt first', 21, 20, 2],
    ['loses all but the first and the newest', 100, 20, 81],
    ['is two attempts at least', 5, 2, 4],
    ['is whole where there is no bound', 100, 0, null],
  ])('%s', (_title, attempt, kept, upTo) =>
    expect(attemptsToDrop([{ runId: 'r', attempt }], kept)).toEqual(upTo === null ? [] : [{ runId: 'r', upTo }]),
  );
});
