import type { DefinitionCache } from './definition-cache.js';
import type { RunPool } from './run-pool.js';

/**
 * One dispatch, from the queue into the slots. The job is over as soon as its runs are claimed, wait here for their host,
 * or have been handed on: from the claim on the database knows them as ours, and the queue's locks have nothing to add.
 */
export class ExecuteDispatch {
  constructor(
    private readonly pool: RunPool,
    private readonly definitions: DefinitionCache,
  ) {}

  async run(runs: readonly string[], priority: number): Promise<void> {
    // Before the claim, because a run is claimed only when its target's host may have a slot.
    await this.definitions.learn(runs);
    await this.pool.offer(runs, priority);
  }

  /** From now on nothing new is started here; what waits for a slot is handed on. */
  stop(): void {
    this.pool.stop();
  }
}
