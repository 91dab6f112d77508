import type { Clock } from '#database';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { RunPool } from './run-pool.js';

/** How long runs wait here for a slot before they are handed on to workers that have one. */
const PATIENCE_MS = 1_000;

/**
 * One dispatch, from the queue into the slots. The job is over as soon as its runs are claimed: from then on the database
 * knows them as ours, and the queue's locks have nothing to add. Runs that found no slot go back to the queue.
 */
export class ExecuteDispatch {
  private readonly stopping = new AbortController();

  constructor(
    private readonly pool: RunPool,
    private readonly enqueue: EnqueueRuns,
    private readonly clock: Clock,
  ) {}

  async run(runs: readonly string[], priority: number): Promise<void> {
    const patience = AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), this.stopping.signal]);
    const unclaimed = await this.pool.offer(runs, patience);
    const dueAt = this.clock.now();
    await this.enqueue.add(unclaimed.map((id) => ({ id, priority, dueAt })));
  }

  /** From now on nothing new is started here; what waits for a slot is handed on. */
  stop(): void {
    this.stopping.abort();
  }
}
