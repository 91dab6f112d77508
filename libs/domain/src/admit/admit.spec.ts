import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SkipReason } from '../run/statuses.js';
import { CONCURRENCY_POLICIES, FAILURE_ACTIONS, OVERLAP_ACTIONS } from '../task/words.js';
import { admit, type AdmitFacts, type AdmitVerdict, countVerdict } from './admit.js';
import { releasable } from './slots.js';

const facts = (some: Partial<AdmitFacts> = {}): AdmitFacts => ({
  activeRuns: 0,
  queuedRuns: 0,
  maxConcurrency: 1,
  concurrencyPolicy: 'QUEUE',
  queueLimit: 2,
  overlapAction: 'ALLOW',
  failureAction: 'RUN_NEW',
  failedTickAttempt: null,
  failureSkipped: false,
  ...some,
});

const RUN: AdmitVerdict = { kind: 'run', tickAttempt: 1 };
const REPLACE: AdmitVerdict = { kind: 'replace', tickAttempt: 1 };
const QUEUE: AdmitVerdict = { kind: 'queue', tickAttempt: 1 };
const skip = (reason: SkipReason, tickAttempt = 1): AdmitVerdict => ({ kind: 'skip', reason, tickAttempt });

const anyFacts: fc.Arbitrary<AdmitFacts> = fc.record({
  activeRuns: fc.nat(5),
  queuedRuns: fc.nat(5),
  maxConcurrency: fc.nat(4),
  concurrencyPolicy: fc.constantFrom(...CONCURRENCY_POLICIES),
  queueLimit: fc.nat(4),
  overlapAction: fc.constantFrom(...OVERLAP_ACTIONS),
  failureAction: fc.constantFrom(...FAILURE_ACTIONS),
  failedTickAttempt: fc.option(fc.integer({ min: 1, max: 9 })),
  failureSkipped: fc.boolean(),
});
const idle = anyFacts.map((some) => ({
  ...some,
  ...{ activeRuns: 0, queuedRuns: 0, failedTickAttempt: null, failureSkipped: false },
}));

describe('admit', () => {
  it.each<[string, Partial<AdmitFacts>, AdmitVerdict]>([
    ['runs when nothing is in the way', {}, RUN],
    ['runs while slots are free', { activeRuns: 2, maxConcurrency: 3 }, RUN],
    ['queues when they are taken', { activeRuns: 1 }, QUEUE],
    [
      'queues behind those who wait, even when a slot is free',
      { activeRuns: 1, maxConcurrency: 2, queuedRuns: 1 },
      QUEUE,
    ],
    ['skips when the line is full', { activeRuns: 1, queuedRuns: 2 }, skip('QUEUE_FULL')],
    ['skips at once when nobody may wait', { activeRuns: 1, queueLimit: 0 }, skip('QUEUE_FULL')],
    ['skips under SKIP when slots are taken', { activeRuns: 1, concurrencyPolicy: 'SKIP' }, skip('CONCURRENCY')],
    ['runs under PARALLEL, however many run', { activeRuns: 9, concurrencyPolicy: 'PARALLEL' }, RUN],
    ['runs without a limit, however many run', { activeRuns: 9, maxConcurrency: 0 }, RUN],
    [
      'skips under overlap SKIP while one runs',
      { activeRuns: 1, maxConcurrency: 5, overlapAction: 'SKIP' },
      skip('OVERLAP'),
    ],
    ['skips under overlap SKIP while one waits', { queuedRuns: 1, overlapAction: 'SKIP' }, skip('OVERLAP')],
    ['runs under overlap PARALLEL beyond the limit', { activeRuns: 1, overlapAction: 'PARALLEL' }, RUN],
    ['replaces under CANCEL_PREV while one runs', { activeRuns: 1, overlapAction: 'CANCEL_PREV' }, REPLACE],
    ['replaces under CANCEL_PREV while one waits', { queuedRuns: 1, overlapAction: 'CANCEL_PREV' }, REPLACE],
    ['has nothing to replace when nothing is unfinished', { overlapAction: 'CANCEL_PREV' }, RUN],
    ['starts anew after a failure under RUN_NEW', { failedTickAttempt: 3 }, RUN],
    ['skips one tick after a failure under SKIP', { failureAction: 'SKIP', failedTickAttempt: 3 }, skip('FAILURE', 4)],
    [
      'runs the tick after the skipped one, and counts both',
      { failureAction: 'SKIP', failedTickAttempt: 3, failureSkipped: true },
      { kind: 'run', tickAttempt: 5 },
    ],
    [
      'counts on after a failure under RETRY',
      { failureAction: 'RETRY', failedTickAttempt: 3 },
      { kind: 'run', tickAttempt: 4 },
    ],
    ['starts at one when the last run did not fail', { failureAction: 'RETRY' }, RUN],
    [
      'counts on in the line as well',
      { failureAction: 'RETRY', failedTickAttempt: 1, activeRuns: 1 },
      { kind: 'queue', tickAttempt: 2 },
    ],
    [
      'asks about overlap before failure',
      { activeRuns: 1, overlapAction: 'SKIP', failureAction: 'SKIP', failedTickAttempt: 1 },
      skip('OVERLAP', 2),
    ],
    [
      'cancels nobody for a tick that is skipped for a failure',
      { activeRuns: 1, overlapAction: 'CANCEL_PREV', failureAction: 'SKIP', failedTickAttempt: 1 },
      skip('FAILURE', 2),
    ],
    [
      'asks about failure before concurrency',
      { activeRuns: 1, failureAction: 'SKIP', failedTickAttempt: 1, concurrencyPolicy: 'SKIP' },
      skip('FAILURE', 2),
    ],
    [
      'lets no tick pass a failure for being parallel',
      { activeRuns: 1, overlapAction: 'PARALLEL', failureAction: 'SKIP', failedTickAttempt: 1 },
      skip('FAILURE', 2),
    ],
    [
      'asks about overlap before concurrency',
      { activeRuns: 1, overlapAction: 'SKIP', concurrencyPolicy: 'SKIP' },
      skip('OVERLAP'),
    ],
  ])('%s', (_title, some, expected) => {
    expect(admit(facts(some), 'cron')).toEqual(expected);
  });

  it('runs the first tick of an idle task under every policy', () => {
    fc.assert(fc.property(idle, (some) => expect(admit(some, 'cron')).toEqual(RUN)));
  });

  it('lets a run on demand pass overlap and failure, but not concurrency', () => {
    fc.assert(
      fc.property(anyFacts, (some) => {
        const nothing = { overlapAction: 'ALLOW' as const, failedTickAttempt: null };
        expect(admit(some, 'on_demand')).toEqual(admit({ ...some, ...nothing }, 'cron'));
      }),
    );
  });
});

describe('admitting tick after tick', () => {
  const admitMany = (from: AdmitFacts, count: number) => {
    let now = from;
    for (let i = 0; i < count; i++) now = countVerdict(now, admit(now, 'cron'));
    return now;
  };
  const limited = idle.filter(
    ({ maxConcurrency, concurrencyPolicy, overlapAction }) =>
      maxConcurrency > 0 && concurrencyPolicy !== 'PARALLEL' && overlapAction !== 'PARALLEL',
  );

  it('never gives out more slots than there are, nor more places in the line', () => {
    fc.assert(
      fc.property(limited, fc.nat(20), (from, count) => {
        const { activeRuns, queuedRuns } = admitMany(from, count);
        expect(activeRuns).toBeLessThanOrEqual(from.maxConcurrency);
        expect(queuedRuns).toBeLessThanOrEqual(from.concurrencyPolicy === 'QUEUE' ? from.queueLimit : 0);
      }),
    );
  });

  it('counts a run as active, a waiting one as queued, a skipped one not at all', () => {
    expect(countVerdict(facts(), RUN)).toEqual(facts({ activeRuns: 1 }));
    expect(countVerdict(facts(), QUEUE)).toEqual(facts({ queuedRuns: 1 }));
    expect(countVerdict(facts(), skip('OVERLAP'))).toEqual(facts());
    expect(countVerdict(facts(), skip('FAILURE'))).toEqual(facts({ failureSkipped: true }));
    expect(countVerdict(facts({ activeRuns: 2, queuedRuns: 2 }), REPLACE)).toEqual(facts({ activeRuns: 1 }));
  });
});

describe('releasable', () => {
  it.each<[string, Partial<AdmitFacts>, number]>([
    ['nobody when nobody waits', { maxConcurrency: 3 }, 0],
    ['as many as there are free slots', { queuedRuns: 5, activeRuns: 1, maxConcurrency: 3 }, 2],
    ['nobody while all slots are taken', { queuedRuns: 5, activeRuns: 1 }, 0],
    ['nobody when the limit was lowered below what runs', { queuedRuns: 5, activeRuns: 4, maxConcurrency: 2 }, 0],
    ['everybody once the limit is gone', { queuedRuns: 5, activeRuns: 4, maxConcurrency: 0 }, 5],
    ['everybody once the policy is PARALLEL', { queuedRuns: 5, activeRuns: 4, concurrencyPolicy: 'PARALLEL' }, 5],
  ])('lets in %s', (_title, some, expected) => {
    expect(releasable(facts(some))).toBe(expected);
  });

  it('fills the free slots and no more, whatever the counts', () => {
    fc.assert(
      fc.property(anyFacts, (some) => {
        const released = releasable(some);
        expect(released).toBeGreaterThanOrEqual(0);
        expect(released).toBeLessThanOrEqual(some.queuedRuns);
        const unlimited = some.maxConcurrency === 0 || some.concurrencyPolicy === 'PARALLEL';
        if (!unlimited && released > 0) expect(some.activeRuns + released).toBeLessThanOrEqual(some.maxConcurrency);
        const leftBehind = some.queuedRuns - released;
        if (leftBehind > 0) expect(some.activeRuns + released).toBeGreaterThanOrEqual(some.maxConcurrency);
      }),
    );
  });
});
