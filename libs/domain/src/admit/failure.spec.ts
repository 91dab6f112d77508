import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RUN_STATUSES } from '../run/statuses.js';
import { type EndedRun, rememberEnded } from './failure.js';

const nothing = { lastEndedRunId: null, failedTickAttempt: null, failureSkipped: false };
const ended = (id: string, status: EndedRun['status'], tickAttempt = 1): EndedRun => ({ id, status, tickAttempt });

describe('rememberEnded', () => {
  it.each(['FAILED', 'TIMEOUT', 'CANCELED'] as const)('takes %s for a failure', (status) => {
    expect(rememberEnded(nothing, [ended('1', status, 4)])).toEqual({
      ...{ lastEndedRunId: '1', failedTickAttempt: 4, failureSkipped: false },
    });
  });

  it.each(['SUCCESS', 'COMPLETED', 'PENDING'] as const)('does not take %s for a failure', (status) => {
    const failed = { lastEndedRunId: '1', failedTickAttempt: 1, failureSkipped: true };
    expect(rememberEnded(failed, [ended('2', status)])).toEqual({ ...nothing, lastEndedRunId: '2' });
  });

  it('keeps to the run that was scheduled last, whichever ends last', () => {
    const known = rememberEnded(nothing, [ended('5', 'FAILED', 2)]);
    expect(rememberEnded(known, [ended('3', 'SUCCESS')])).toEqual(known);
  });

  it('takes the later ending of a run that ends again', () => {
    const known = rememberEnded(nothing, [ended('5', 'PENDING', 2)]);
    const failed = { lastEndedRunId: '5', failedTickAttempt: 2, failureSkipped: false };
    expect(rememberEnded(known, [ended('5', 'FAILED', 2)])).toEqual(failed);
  });

  it('knows of a new failure that no tick was skipped for it yet', () => {
    const known = { lastEndedRunId: '1', failedTickAttempt: 1, failureSkipped: true };
    expect(rememberEnded(known, [ended('2', 'FAILED', 3)])).toEqual({
      ...{ lastEndedRunId: '2', failedTickAttempt: 3, failureSkipped: false },
    });
  });

  it('comes to the same in whatever order runs end', () => {
    const run = fc.record({
      id: fc.integer({ min: 10, max: 99 }).map(String),
      status: fc.constantFrom(...RUN_STATUSES),
      tickAttempt: fc.integer({ min: 1, max: 9 }),
    });
    const runs = fc.uniqueArray(run, { selector: ({ id }) => id, maxLength: 6 });
    fc.assert(
      fc.property(
        runs.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([one, other]) => {
          const alone = other.reduce((known, run) => rememberEnded(known, [run]), rememberEnded(nothing, []));
          expect(alone).toEqual(rememberEnded(nothing, one));
        },
      ),
    );
  });
});
