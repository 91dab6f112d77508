import { type Executor, EXECUTORS } from '#domain';
import type { DefinitionCache } from './definition-cache.js';
import type { EarlyDispatches } from './early-dispatches.js';
import type { Elsewhere } from './elsewhere.js';
import type { RunPool } from './run-pool.js';

/**
 * One dispatch, from the queue into the slots. The job is over as soon as its runs are claimed, wait here for their host,
 * or have been handed on: from the claim on the database knows them as ours, and the queue's locks have nothing to add.
 */
export class ExecuteDispatch {
  constructor(
    private readonly pool: RunPool,
    private readonly definitions: DefinitionCache,
    private readonly elsewhere: Elsewhere,
    private readonly executors: ReadonlySet<Executor>,
    private readonly early: EarlyDispatches,
  ) {}

  async run(runs: readonly string[], priority: number, dueAt = 0): Promise<void> {
    // What fails later has no job any more: rescue brings it.
    if (this.early.keeps(dueAt, () => void this.run(runs, priority, dueAt).catch(() => undefined))) return;
    // Before the claim, because a run is claimed only when its target's host may have a slot.
    await this.definitions.learn(runs);
    await this.early.comes(dueAt);
    const others = runs.filter((id) => !this.isOurs(id));
    if (others.length === 0) return this.pool.offer(runs, priority);
    // Before they are turned away: their task may have been changed.
    await this.definitions.relearn(others);
    const left = runs.filter((id) => !this.isOurs(id));
    await Promise.all([
      this.pool.offer(
        runs.filter((id) => this.isOurs(id)),
        priority,
      ),
      ...EXECUTORS.map((executor) => this.elsewhere.give(this.of(executor, left), executor, priority)),
    ]);
  }

  private isOurs(id: string): boolean {
    return this.executors.has(this.definitions.executorOf(id));
  }

  private of(executor: Executor, ids: readonly string[]): string[] {
    return ids.filter((id) => this.definitions.executorOf(id) === executor);
  }

  /** Forgets what came before its time: rescue brings it. */
  stop(): void {
    this.early.stop();
  }
}
