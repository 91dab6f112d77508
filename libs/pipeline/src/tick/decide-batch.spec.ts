import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DueTask } from '#database';
import { CATCH_UP_MODES, CONCURRENCY_POLICIES, jitterMs, LOST_AFTER_MS, OVERLAP_ACTIONS } from '#domain';
import { decideBatch, dispatchable } from './decide-batch.js';

const T0 = Date.parse('2026-01-01T00:00:00Z');
const SETTINGS = { graceSeconds: 3, catchUpChunk: 20 };

const task = (some: Partial<DueTask> = {}): DueTask => ({
  id: 7n,
  tenantId: 'default',
  name: 'hello',
  category: 'billing',
  creator: 'somebody',
  cronExpr: '* * * * * *',
  timezone: 'UTC',
  retryPolicy: { strategy: 'none' },
  maxConcurrency: 0,
  concurrencyPolicy: 'QUEUE',
  queueLimit: 10,
  overlapAction: 'ALLOW',
  failureAction: 'RUN_NEW',
  catchUpMode: 'NONE',
  catchUpLimit: 100,
  maxLatenessSeconds: null,
  startAt: null,
  endAt: null,
  jitterSeconds: 0,
  executor: 'HTTP',
  priority: 3,
  nextFireAt: T0,
  activeRuns: 0,
  queuedRuns: 0,
  lastRunId: null,
  lastEndedRunId: null,
  failedTickAttempt: null,
  failureSkipped: false,
  ...some,
});

const decide = (tasks: DueTask[], now = T0 + 20, existing?: Set<string>) => {
  let traces = 0;
  return decideBatch(tasks, { now, at: now, settings: SETTINGS, newTraceId: () => `trace-${traces++}`, existing });
};

const shown = (tasks: DueTask[], now?: number) =>
  decide(tasks, now).runs.map((run) => [run.id, run.skipReason ?? run.status].join(' '));

describe('decideBatch', () => {
  it('makes one run of a due second, and moves the task to the next', () => {
    const { runs, advances, unreadable } = decide([task()]);
    expect(runs).toEqual([
      {
        id: `${T0 / 1000}-7`,
        tenantId: 'default',
        taskId: 7n,
        taskName: 'hello',
        trigger: 'CRON',
        category: 'billing',
        creator: 'somebody',
        executor: 'HTTP',
        priority: 3,
        status: 'SCHEDULED',
        skipReason: null,
        blockedBy: null,
        missedFrom: null,
        missedCount: null,
        scheduledTime: T0,
        startBefore: null,
        queuedAt: T0 + 20,
        dueAt: T0,
        finishedAt: null,
        wakeAt: T0 + 20 + LOST_AFTER_MS,
        maxAttempts: 1,
        tickAttempt: 1,
        attemptTimeoutSeconds: null,
        payload: undefined,
        traceId: 'trace-0',
      },
    ]);
    const lastRunId = `${T0 / 1000}-7`;
    expect(advances).toEqual([
      { id: 7n, nextFireAt: T0 + 1_000, active: 1, queued: 0, lastRunId, failureSkipped: false },
    ]);
    expect(unreadable).toEqual([]);
  });

  it('makes a run of each second that is late but within the grace time', () => {
    expect(shown([task()], T0 + 2_500)).toEqual([
      `${T0 / 1000}-7 SCHEDULED`,
      `${T0 / 1000 + 1}-7 SCHEDULED`,
      `${T0 / 1000 + 2}-7 SCHEDULED`,
    ]);
  });

  it('leaves one row for a gap, which says from when and how many', () => {
    const [missed, ...onTime] = decide([task()], T0 + 60_000).runs;
    expect(missed).toMatchObject({
      id: `${T0 / 1000 + 56}-7`,
      status: 'SKIPPED',
      skipReason: 'MISSED',
      missedFrom: T0,
      missedCount: 57,
      finishedAt: T0 + 60_000,
      wakeAt: null,
    });
    expect(onTime.map((run) => run.status)).toEqual(Array(4).fill('SCHEDULED'));
  });

  it('says of a run that was caught up that it was', () => {
    const [caughtUp] = decide([task({ catchUpMode: 'COMPACT' })], T0 + 60_000).runs;
    expect(caughtUp).toMatchObject({ trigger: 'CATCH_UP', status: 'SCHEDULED', missedFrom: T0, missedCount: 57 });
  });

  it('lets each tick of a task see those before it', () => {
    const limited = task({ maxConcurrency: 1, queueLimit: 1 });
    expect(shown([limited], T0 + 2_000)).toEqual([
      `${T0 / 1000}-7 SCHEDULED`,
      `${T0 / 1000 + 1}-7 QUEUED`,
      `${T0 / 1000 + 2}-7 QUEUE_FULL`,
    ]);
    expect(decide([limited], T0 + 2_000).advances).toMatchObject([{ active: 1, queued: 1 }]);
  });

  it('lets a tick see what the task is doing already', () => {
    const busy = { activeRuns: 1, maxConcurrency: 1 };
    expect(shown([task({ ...busy, overlapAction: 'SKIP' })])).toEqual([`${T0 / 1000}-7 OVERLAP`]);
    expect(shown([task({ ...busy, concurrencyPolicy: 'SKIP' })])).toEqual([`${T0 / 1000}-7 CONCURRENCY`]);
  });

  it('skips one tick after a failure under SKIP, names the run that failed, and counts both in the next', () => {
    const failed = { failureAction: 'SKIP' as const, failedTickAttempt: 1, lastEndedRunId: 'failed' };
    const { runs, advances } = decide([task(failed)], T0 + 1_000);
    expect(runs).toMatchObject([
      { status: 'SKIPPED', skipReason: 'FAILURE', blockedBy: 'failed', tickAttempt: 2 },
      { status: 'SCHEDULED', blockedBy: null, tickAttempt: 3 },
    ]);
    expect(advances).toMatchObject([{ active: 1, failureSkipped: true }]);
  });

  it('replaces what is unfinished under CANCEL_PREV, and what it has just admitted itself', () => {
    const busy = task({
      overlapAction: 'CANCEL_PREV',
      maxConcurrency: 1,
      activeRuns: 1,
      queuedRuns: 2,
      lastRunId: 'x',
    });
    const { replacements, runs, advances } = decide([busy], T0 + 1_000);
    const [first, second] = runs.map((run) => run.id);
    expect(runs.map((run) => run.status)).toEqual(['SCHEDULED', 'SCHEDULED']);
    expect(replacements).toEqual([{ taskId: 7n, by: second, inBatch: [first], stored: 3, likely: 'x' }]);
    expect(advances).toMatchObject([{ active: 0, queued: -2 }]);
  });

  it('tells the queue of what is to be executed, not of what was replaced in the same breath', () => {
    const replacing = task({ overlapAction: 'CANCEL_PREV', activeRuns: 1 });
    const decided = decide([replacing, task({ id: 8n })], T0 + 1_000);
    const told = dispatchable(decided).map((run) => run.id);
    expect(told).toEqual([`${T0 / 1000 + 1}-7`, `${T0 / 1000}-8`, `${T0 / 1000 + 1}-8`]);
  });

  it('leaves a second alone that has its run already, and counts nothing for it', () => {
    const { runs, advances } = decide([task()], T0 + 1_000, new Set([`${T0 / 1000}-7`]));
    expect(runs.map((run) => run.id)).toEqual([`${T0 / 1000 + 1}-7`]);
    expect(advances).toMatchObject([{ active: 1, queued: 0, nextFireAt: T0 + 2_000 }]);
  });

  it('has nobody look after a run that waits in line: releasing it sets its alarm', () => {
    const [run] = decide([task({ activeRuns: 1, maxConcurrency: 1 })]).runs;
    expect(run).toMatchObject({ status: 'QUEUED', wakeAt: null, finishedAt: null });
  });

  it('is due later under jitter, and looked after later', () => {
    const [run] = decide([task({ jitterSeconds: 600 })]).runs;
    const dueAt = T0 + jitterMs(7n, T0 / 1000, 600);
    expect(run).toMatchObject({ scheduledTime: T0, dueAt, wakeAt: dueAt + LOST_AFTER_MS });
  });

  it('skips a tick that is late before it begins, which takes no slot and stands in nobody’s way', () => {
    const strict = task({ maxLatenessSeconds: 1, maxConcurrency: 1, overlapAction: 'SKIP' });
    const { runs, advances } = decide([strict], T0 + 3_000);
    expect(runs.map((run) => run.skipReason ?? run.status)).toEqual(['LATE', 'LATE', 'SCHEDULED', 'OVERLAP']);
    expect(runs[2].startBefore).toBe(T0 + 3_000);
    expect(advances).toMatchObject([{ active: 1, queued: 0 }]);
  });

  it('counts lateness from when the call is due, jitter included', () => {
    const [run] = decide([task({ maxLatenessSeconds: 5, jitterSeconds: 600 })]).runs;
    expect(run.startBefore).toBe(run.dueAt + 5_000);
  });

  it('says which tasks have more to catch up than one pass brings back', () => {
    const behind = { catchUpMode: 'FULL' as const, catchUpLimit: 50 };
    const { heldBack } = decide([task(behind), task({ ...behind, id: 8n, cronExpr: '@every 30s' })], T0 + 60_000);
    expect(heldBack).toEqual([7n]);
  });

  it('gives a run the attempts of its task’s policy', () => {
    const attempts = (retryPolicy: DueTask['retryPolicy']) => decide([task({ retryPolicy })]).runs[0].maxAttempts;
    expect(attempts({ strategy: 'fixed', max_attempts: 4 })).toBe(4);
    expect(attempts({ strategy: 'none', max_attempts: 4 })).toBe(1);
  });

  it('plans nothing after the end', () => {
    expect(decide([task({ endAt: T0 + 500 })]).advances).toMatchObject([{ nextFireAt: null, active: 1 }]);
  });

  it('takes a task whose schedule cannot be read off the clock, and goes on with the others', () => {
    const broken = task({ id: 8n, cronExpr: 'every now and then' });
    const { runs, advances, unreadable } = decide([broken, task()]);
    expect(runs.map((run) => run.taskId)).toEqual([7n]);
    expect(advances).toContainEqual({ id: 8n, nextFireAt: null, active: 0, queued: 0, lastRunId: null });
    expect(unreadable).toMatchObject([{ task: { id: 8n }, reason: expect.any(String) }]);
  });
});

describe('decideBatch, whatever the tasks', () => {
  const anyTask = fc
    .record({
      cronExpr: fc.constantFrom('* * * * * *', '*/7 * * * * *', '0 * * * * *', '@every 3s'),
      nextFireAt: fc.constant(T0),
      maxConcurrency: fc.nat(3),
      concurrencyPolicy: fc.constantFrom(...CONCURRENCY_POLICIES),
      queueLimit: fc.nat(3),
      overlapAction: fc.constantFrom(...OVERLAP_ACTIONS),
      catchUpMode: fc.constantFrom(...CATCH_UP_MODES),
      catchUpLimit: fc.integer({ min: 1, max: 40 }),
      jitterSeconds: fc.nat(60),
      activeRuns: fc.nat(3),
      queuedRuns: fc.nat(3),
    })
    .map(task);
  const batches = fc
    .array(anyTask, { maxLength: 5 })
    .map((tasks) => tasks.map((one, i) => ({ ...one, id: BigInt(i + 1) })));
  const lateness = fc.integer({ min: 0, max: 120_000 });

  it('no second gets two runs, and every task moves on', () => {
    fc.assert(
      fc.property(batches, lateness, (tasks, late) => {
        const { runs, advances } = decide(tasks, T0 + late);
        expect(new Set(runs.map((run) => run.id)).size).toBe(runs.length);
        expect(advances.map((advance) => advance.id)).toEqual(tasks.map((one) => one.id));
        for (const { nextFireAt } of advances) expect(nextFireAt).toBeGreaterThan(T0);
      }),
    );
  });

  it('the counters move by exactly the runs that were admitted', () => {
    fc.assert(
      fc.property(batches, lateness, (tasks, late) => {
        const { runs, advances, replacements } = decide(tasks, T0 + late);
        for (const { id, active, queued } of advances) {
          const count = (status: string) => runs.filter((run) => run.taskId === id && run.status === status).length;
          const before = tasks.find((one) => one.id === id)!;
          const replaced = replacements.some(({ taskId }) => taskId === id);
          const expected = replaced
            ? [1 - before.activeRuns, 0 - before.queuedRuns]
            : [count('SCHEDULED'), count('QUEUED')];
          expect([active, queued]).toEqual(expected);
        }
      }),
    );
  });

  it('a run has a reason and an end exactly if it was skipped, an alarm exactly if it is to be executed', () => {
    fc.assert(
      fc.property(batches, lateness, (tasks, late) => {
        for (const run of decide(tasks, T0 + late).runs) {
          const skipped = run.status === 'SKIPPED';
          expect([run.skipReason !== null, run.finishedAt !== null]).toEqual([skipped, skipped]);
          expect(run.wakeAt !== null).toBe(run.status === 'SCHEDULED');
          expect(run.dueAt).toBeGreaterThanOrEqual(run.scheduledTime);
        }
      }),
    );
  });
});
