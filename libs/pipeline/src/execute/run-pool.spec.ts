import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ClaimedRun, Database } from '#database';
import pino from 'pino';
import { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { SettleGroup } from '../settle/settle-group.js';
import type { DefinitionCache } from './definition-cache.js';
import type { Execution, FinishedExecution } from './execution.js';
import type { HandOn } from './hand-on.js';
import { RunPool } from './run-pool.js';

const clock = { now: () => 0 };
const SEPARATOR = '\u001f';

/** A claim on its way. */
interface Claim {
  ids: string[];
  arrive(taken?: readonly string[]): Promise<void>;
}

/** Long enough for everything that waits for nobody. */
const settle = () => new Promise<void>((next) => setImmediate(next));

/** A worker with one slot. Its database and its targets answer when they are told to; a run’s host is the first letter of its id. */
class OneSlot {
  readonly claims: Claim[] = [];
  readonly calls: string[] = [];
  private readonly ends = new Map<string, () => void>();
  readonly pool: RunPool;

  constructor() {
    const log = pino({ level: 'silent' });
    const rows = (_statement: unknown, ids: string) => this.claim(ids.split(SEPARATOR));
    const database = { dialect: 'postgresql', driver: { rows } } as unknown as Database;
    const definitions = { hostOf: (id: string) => id[0], load: () => Promise.resolve(), get: () => undefined };
    const settling = { add: () => Promise.resolve(true), skipLate: () => Promise.resolve() };
    const handOn = { give: () => Promise.resolve(), giveBack: () => Promise.resolve() };
    this.pool = new RunPool(
      database,
      clock,
      definitions as unknown as DefinitionCache,
      { run: ({ id }: ClaimedRun) => this.call(id) } as unknown as Execution,
      settling as unknown as SettleGroup,
      handOn as unknown as HandOn,
      { node: 'n', concurrency: 1, leaseMs: 30_000, hosts: { rules: { most: 9, shares: true, rate: 0 }, places: 9 } },
      log,
      new PipelineMetrics(clock),
    );
  }

  offer(ids: string[], priority: number): void {
    void this.pool.offer(ids, priority);
  }

  async end(id: string): Promise<void> {
    jest.advanceTimersByTime(1);
    this.ends.get(id)!();
    await settle();
  }

  private claim(ids: string[]): Promise<unknown> {
    return new Promise((resolve) => {
      const arrive = (taken: readonly string[] = ids) => {
        resolve(taken.map((id) => ({ run: told(id) })));
        return settle();
      };
      this.claims.push({ ids, arrive });
    });
  }

  private call(id: string): Promise<FinishedExecution> {
    this.calls.push(id);
    return new Promise((resolve) => this.ends.set(id, () => resolve(finished(id))));
  }
}

describe('a worker whose only slot comes free', () => {
  let worker: OneSlot;

  /** `a2` is being called, `a3` waits claimed, and `b1` hurries more: its host is new, so that nothing of it is claimed ahead. */
  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    worker = new OneSlot();
    worker.offer(['a1'], 0);
    await worker.claims[0].arrive();
    await worker.end('a1');
    worker.offer(['a2', 'a3'], 0);
    await worker.claims[1].arrive();
    worker.offer(['b1'], 9);
    expect(worker.calls).toEqual(['a1', 'a2']);
    await worker.end('a2');
    expect(worker.claims.map(({ ids }) => ids)).toEqual([['a1'], ['a2', 'a3'], ['b1']]);
  });

  afterEach(() => void jest.useRealTimers());

  it('keeps it for the run that hurries most, while that is being claimed', async () => {
    expect(worker.calls).toEqual(['a1', 'a2']);
    await worker.claims[2].arrive();
    expect(worker.calls).toEqual(['a1', 'a2', 'b1']);
    await worker.end('b1');
    expect(worker.calls).toEqual(['a1', 'a2', 'b1', 'a3']);
    await worker.end('a3');
    expect(worker.pool.isIdle).toBe(true);
  });

  it('gives it to the one that waits when somebody else has claimed that run', async () => {
    await worker.claims[2].arrive([]);
    expect(worker.calls).toEqual(['a1', 'a2', 'a3']);
    await worker.end('a3');
    expect(worker.pool.isIdle).toBe(true);
  });
});

/** As the claim's statement tells of a run. */
function told(id: string): string {
  const at = '2026-01-01 00:00:00';
  return [id, 'default', '1', `e-${id}`, 'trace', 'API', at, at, '1', '1', '1', '0', '1', '0', '', 'task'].join(
    SEPARATOR,
  );
}

function finished(id: string): FinishedExecution {
  const run = { id, taskId: 1n, execId: `e-${id}`, attempt: 1, maxAttempts: 1 } as ClaimedRun;
  const rules = { retryPolicy: { strategy: 'none' }, needManual: false, logMode: 'none', notify: null } as const;
  return { run, startedAt: 0, finishedAt: 1, verdict: { kind: 'success' }, ...rules, call: null, outcome: null };
}
