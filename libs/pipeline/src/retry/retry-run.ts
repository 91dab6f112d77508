import { type Clock, type Database, type ReleasedRun, type Retrial, retryRun } from '#database';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';

/** Has a run that waits for a person executed once more. */
export class RetryRun {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly metrics: PipelineMetrics,
  ) {}

  async retry(retrial: Retrial): Promise<ReleasedRun> {
    const { trigger, ...run } = await retryRun(this.database, retrial, this.clock.now());
    this.metrics.moved('RETRYING', trigger);
    return run;
  }

  /** Tells the queue of a run that is RETRYING now; should that fail, rescue does. */
  announce(run: ReleasedRun): Promise<void> {
    return this.enqueue.add([run]);
  }
}
