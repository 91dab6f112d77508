import type { TaskFacts } from '#database';

/** A task without anything special; say only what the test is about. */
export const factsOf = (more: Partial<TaskFacts> = {}): TaskFacts => ({
  ...{ id: 1n, tenantId: 'default', name: 'task', category: null, creator: null, cronExpr: null, timezone: 'UTC' },
  ...{ retryPolicy: { strategy: 'none' }, maxConcurrency: 1, concurrencyPolicy: 'QUEUE', queueLimit: 1000 },
  ...{ overlapAction: 'ALLOW', catchUpMode: 'NONE', catchUpLimit: 100, maxLatenessSeconds: null, startAt: null },
  ...{ endAt: null, jitterSeconds: 0, priority: 0, executor: 'HTTP', nextFireAt: null, activeRuns: 0, queuedRuns: 0 },
  ...{
    failureAction: 'RUN_NEW',
    lastRunId: null,
    lastEndedRunId: null,
    failedTickAttempt: null,
    failureSkipped: false,
  },
  ...more,
});
