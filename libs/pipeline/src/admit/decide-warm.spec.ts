import { describe, expect, it } from '@jest/globals';
import type { TaskFacts } from '#database';
import { decideWarm } from './decide-warm.js';
import { factsOf } from './task-facts.spec-helper.js';

const NOW = 1_767_225_600_250;
const cold = (id: string, taskId = 1n, scheduledTime = NOW - 50) => ({
  ...{ id, taskId, priority: 0, scheduledTime, traceId: 'f'.repeat(32) },
});
const decide = (tasks: TaskFacts[], ...runs: ReturnType<typeof cold>[]) =>
  decideWarm({ runs, tasks: new Map(tasks.map((task) => [task.id, task])) }, NOW);
const shown = ({ runs }: ReturnType<typeof decide>) => runs.map((run) => run.skipReason ?? run.status);

describe('cold runs whose time has come', () => {
  it('are admitted one after another, each by what those before it leave', () => {
    const decision = decide([factsOf({ queueLimit: 1 })], cold('a'), cold('b'), cold('c'));
    expect(shown(decision)).toEqual(['SCHEDULED', 'QUEUED', 'QUEUE_FULL']);
    expect(decision.runs.map((run) => run.wakeAt)).toEqual([NOW + 30_000, null, null]);
    expect(decision.runs.map((run) => run.finishedAt)).toEqual([null, null, NOW]);
    expect(decision.advances).toMatchObject([{ id: 1n, active: 1, queued: 1, lastRunId: 'c' }]);
  });

  it('are looked after from now on when they are overdue', () => {
    expect(decide([factsOf()], cold('a', 1n, NOW - 60_000)).runs[0].wakeAt).toBe(NOW + 30_000);
  });

  it('take retries and lateness from their task as it is', () => {
    const retryPolicy = { strategy: 'fixed', max_attempts: 4, interval_seconds: 1 } as const;
    const { runs } = decide([factsOf({ retryPolicy, maxLatenessSeconds: 3 })], cold('a'));
    expect(runs[0]).toMatchObject({ maxAttempts: 4, startBefore: NOW + 2_950 });
  });

  it('are admitted before they start where that is nothing to others, and else are left as they are until then', () => {
    const soon = NOW + 1_500;
    const free = decide([factsOf({ maxConcurrency: 0 })], cold('a', 1n, soon));
    expect([shown(free), free.runs[0].wakeAt, [...free.left]]).toEqual([['SCHEDULED'], soon + 30_000, []]);
    const few = decide([factsOf({ concurrencyPolicy: 'SKIP', activeRuns: 1 })], cold('a', 1n, soon), cold('b'));
    expect([shown(few), [...few.left]]).toEqual([['CONCURRENCY'], ['a']]);
    expect(few.advances).toMatchObject([{ active: 0, queued: 0, lastRunId: 'b' }]);
  });

  it('are skipped when they are late already, and take no slot from the next', () => {
    const decision = decide([factsOf({ maxLatenessSeconds: 3 })], cold('a', 1n, NOW - 3_001), cold('b'));
    expect(shown(decision)).toEqual(['LATE', 'SCHEDULED']);
    expect(decision.advances).toMatchObject([{ active: 1 }]);
  });

  it('are called off when their task is gone', () => {
    const decision = decide([], cold('a'));
    expect(decision.runs[0]).toMatchObject({
      status: 'CANCELED',
      errorCode: 'TASK_DELETED',
      finishedAt: NOW,
      wakeAt: null,
    });
    expect(decision.advances).toEqual([]);
  });
});
