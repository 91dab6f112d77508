import { describe, expect, it } from '@jest/globals';
import type { TaskFacts } from '#database';
import { decideOrders, type RunOrder } from './decide-orders.js';
import { factsOf } from './task-facts.spec-helper.js';

const NOW = 1_767_225_600_250;
const order = (taskId: bigint, more: Partial<RunOrder> = {}): RunOrder => ({
  ...{ taskId, trigger: 'API', traceId: 'trace' },
  ...more,
});
const decide = (tasks: TaskFacts[], orders: RunOrder[]) =>
  decideOrders(new Map(tasks.map((task) => [task.id, task])), orders, NOW);
const shown = ({ runs }: ReturnType<typeof decide>) => runs.map((run) => run && (run.skipReason ?? run.status));

describe('orders for runs', () => {
  it('are decided one after another, each by what those before it leave', () => {
    const task = factsOf({ id: 1n, maxConcurrency: 2, queueLimit: 1 });
    const decision = decide([task], Array(5).fill(order(1n)));
    expect(shown(decision)).toEqual(['SCHEDULED', 'SCHEDULED', 'QUEUED', 'QUEUE_FULL', 'QUEUE_FULL']);
    expect(decision.advances).toMatchObject([{ id: 1n, active: 2, queued: 1, lastRunId: decision.runs[4]?.id }]);
  });

  it('of several tasks do not meet, and each task moves once', () => {
    const tasks = [factsOf({ id: 1n }), factsOf({ id: 2n, nextFireAt: 7 })];
    const decision = decide(tasks, [order(2n), order(1n), order(2n)]);
    expect(shown(decision)).toEqual(['SCHEDULED', 'SCHEDULED', 'QUEUED']);
    expect(decision.advances).toMatchObject([
      { id: 2n, active: 1, queued: 1, nextFireAt: 7 },
      { id: 1n, active: 1, queued: 0, nextFireAt: null },
    ]);
  });

  it('for a task that is not there become nothing', () => {
    const decision = decide([factsOf({ id: 1n })], [order(3n), order(1n)]);
    expect(shown(decision)).toEqual([null, 'SCHEDULED']);
    expect(decision.advances).toHaveLength(1);
  });

  it('for later are cold: SCHEDULED, and counted by nobody', () => {
    const task = factsOf({ id: 1n, concurrencyPolicy: 'SKIP' });
    const later = { startTime: new Date(NOW + 2_001) };
    const decision = decide([task], [order(1n, later), order(1n), order(1n, later)]);
    expect(shown(decision)).toEqual(['SCHEDULED', 'SCHEDULED', 'SCHEDULED']);
    expect(decision.runs.map((run) => run?.wakeAt)).toEqual([null, NOW + 30_000, null]);
    expect(decision.advances).toMatchObject([{ active: 1, queued: 0, lastRunId: decision.runs[1]?.id }]);
    expect(decide([task], [order(1n, later)]).advances).toEqual([]);
  });

  it('for in a moment have their slot at once, and are due then', () => {
    const startTime = new Date(NOW + 2_000);
    const task = factsOf({ id: 1n, maxConcurrency: 0, maxLatenessSeconds: 5 });
    const [run] = decide([task], [order(1n, { startTime })]).runs;
    expect(run).toMatchObject({ dueAt: NOW + 2_000, wakeAt: NOW + 32_000, startBefore: NOW + 7_000, queuedAt: NOW });
  });

  it('for in a moment let those pass that come before it, where slots are few', () => {
    const later = { startTime: new Date(NOW + 1) };
    const decision = decide([factsOf({ id: 1n })], [order(1n, later), order(1n)]);
    expect(shown(decision)).toEqual(['SCHEDULED', 'SCHEDULED']);
    expect(decision.runs.map((run) => run?.wakeAt)).toEqual([null, NOW + 30_000]);
    expect(decision.advances).toMatchObject([{ active: 1, queued: 0 }]);
  });

  it('keep their order in the ids of their runs', () => {
    const { runs } = decide([factsOf({ id: 1n })], Array(100).fill(order(1n)));
    const ids = runs.map((run) => run?.id);
    expect([...ids].sort()).toEqual(ids);
  });

  it('say what they say, and leave the rest to the task', () => {
    const task = factsOf({ id: 1n, priority: 3, creator: 'owner', category: 'mail' });
    const said = { priority: 0, creator: 'me', attemptTimeoutSeconds: 4, payload: { a: 1 } };
    const { runs } = decide([task], [order(1n), order(1n, said)]);
    expect(runs[0]).toMatchObject({ priority: 3, creator: 'owner', category: 'mail', attemptTimeoutSeconds: null });
    expect(runs[1]).toMatchObject({ ...said, category: 'mail', trigger: 'API', traceId: 'trace' });
  });
});
