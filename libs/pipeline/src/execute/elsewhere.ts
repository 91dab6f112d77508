import { type Clock, type Database, offerLostRuns, Sql } from '#database';
import type { Executor } from '#domain';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';

/** Runs that this worker may not execute, because their task was changed after they were dispatched, go where they belong. */
export class Elsewhere {
  constructor(
    private readonly enqueue: Pick<EnqueueRuns, 'add'>,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly metrics: PipelineMetrics,
  ) {}

  async give(ids: readonly string[], executor: Executor, priority: number): Promise<void> {
    if (ids.length === 0) return;
    const dueAt = this.clock.now();
    const runs = ids.map((id) => ({ id, priority, dueAt, executor }));
    this.metrics.handedOn('executor', runs.length);
    if (executor === 'AGENT') await offerLostRuns(Sql.on(this.database), runs);
    await this.enqueue.add(runs);
  }
}
