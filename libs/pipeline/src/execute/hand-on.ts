import { type Clock, type Database, wakeLater } from '#database';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { DefinitionCache } from './definition-cache.js';
import { type UncalledRun, UncalledRuns } from './uncalled-runs.js';
import type { LeftOver } from './waiting-run.js';

/** Gives runs that cannot start here back to the queue: to workers with free slots, or to a later moment. */
export class HandOn {
  private readonly uncalled: UncalledRuns;

  constructor(
    private readonly database: Database,
    private readonly enqueue: EnqueueRuns,
    private readonly clock: Clock,
    private readonly metrics: PipelineMetrics,
    private readonly definitions: Pick<DefinitionCache, 'executorOf'>,
    leaseMs: number,
  ) {
    this.uncalled = new UncalledRuns(database, clock, leaseMs, this.tellQueue);
  }

  /** Their jobs are over only when the queue has them again. */
  async give({ runs, afterMs, reason }: LeftOver): Promise<void> {
    const dueAt = this.clock.now() + afterMs;
    this.metrics.handedOn(reason, runs.length);
    // Else rescue would tell the queue of them again and again, as long as their host hangs. Before the queue is told: should
    // it refuse, they are to be looked at sooner, not later.
    const ids = runs.map(({ id }) => id);
    await wakeLater(this.database, ids, dueAt).catch(() => undefined);
    // For a busy host they stay together: spread out, each of them would have to be looked at again.
    const sharing = reason === 'host' ? 'together' : 'shared';
    await this.enqueue.add(
      runs.map(({ id, priority }) => ({ id, priority, dueAt, executor: this.definitions.executorOf(id) })),
      sharing,
    );
    for (const { job } of runs) job?.release();
  }

  /** Runs that were claimed here and not called: nothing has happened to them. */
  giveBack(runs: readonly UncalledRun[]): Promise<void> {
    this.metrics.handedOn('slots', runs.length);
    return this.uncalled.giveBack(runs, false);
  }

  /** Runs whose claim was not answered, so that nobody knows whether they were claimed. */
  giveBackInDoubt(runs: readonly UncalledRun[]): Promise<void> {
    return this.uncalled.giveBack(runs, true);
  }

  private readonly tellQueue = (runs: readonly UncalledRun[]): Promise<void> => {
    const dueAt = this.clock.now();
    return this.enqueue.add(
      runs.map(({ id, priority }) => ({ id, priority, dueAt, executor: this.definitions.executorOf(id) })),
    );
  };
}
