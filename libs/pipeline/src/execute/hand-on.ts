import { type ClaimedRun, type Clock, type Database, giveBackRuns, wakeLater } from '#database';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { DefinitionCache } from './definition-cache.js';
import type { LeftOver } from './waiting-run.js';

/** Gives runs that cannot start here back to the queue: to workers with free slots, or to a later moment. */
export class HandOn {
  constructor(
    private readonly database: Database,
    private readonly enqueue: EnqueueRuns,
    private readonly clock: Clock,
    private readonly metrics: PipelineMetrics,
    private readonly definitions: Pick<DefinitionCache, 'executorOf'>,
  ) {}

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

  /** Runs that were claimed here and not called: nothing has happened to them. What cannot be given back now, rescue finds. */
  async giveBack(runs: readonly ClaimedRun[]): Promise<void> {
    const dueAt = this.clock.now();
    this.metrics.handedOn('slots', runs.length);
    try {
      await giveBackRuns(this.database, runs, dueAt);
    } catch {
      return;
    }
    await this.enqueue.add(
      runs.map(({ id, priority }) => ({ id, priority, dueAt, executor: this.definitions.executorOf(id) })),
    );
  }
}
