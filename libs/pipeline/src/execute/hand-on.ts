import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type Database, type Execution, giveBackRuns, wakeLater } from '#database';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';
import type { DefinitionCache } from './definition-cache.js';
import type { LeftOver } from './waiting-run.js';

const AGAIN_MS = 1_000;

/** A run that this worker has claimed, or may have, and does not call. */
export interface UncalledRun extends Execution {
  priority: number;
}

/** Gives runs that cannot start here back to the queue: to workers with free slots, or to a later moment. */
export class HandOn {
  constructor(
    private readonly database: Database,
    private readonly enqueue: EnqueueRuns,
    private readonly clock: Clock,
    private readonly metrics: PipelineMetrics,
    private readonly definitions: Pick<DefinitionCache, 'executorOf'>,
    private readonly leaseMs: number,
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

  /** Runs that were claimed here and not called: nothing has happened to them. */
  async giveBack(runs: readonly UncalledRun[]): Promise<void> {
    this.metrics.handedOn('slots', runs.length);
    await this.untilGivenBack(runs, this.leaseEnd());
  }

  /**
   * Runs whose claim was not answered, so that nobody knows whether they were claimed. Resolves when the database has been asked. It
   * is asked on behind that, as long as such a lease would last: what was sent may reach a database that stood still after we have.
   */
  async giveBackInDoubt(runs: readonly UncalledRun[]): Promise<void> {
    const until = this.leaseEnd();
    await this.untilGivenBack(runs, until);
    void this.giveBackWhatComes(runs, until);
  }

  /** When rescue takes over. */
  private leaseEnd(): number {
    return performance.now() + this.leaseMs;
  }

  /** The queue is told of all of them: it may have lost those that were not claimed, too. */
  private async untilGivenBack(runs: readonly UncalledRun[], until: number): Promise<void> {
    while (performance.now() < until) {
      try {
        await giveBackRuns(this.database, runs, this.clock.now());
        return await this.tellQueue(runs);
      } catch {
        await pause(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  private async giveBackWhatComes(runs: readonly UncalledRun[], until: number): Promise<void> {
    while (performance.now() < until) {
      await pause(AGAIN_MS, undefined, { ref: false });
      const came = await giveBackRuns(this.database, runs, this.clock.now()).catch(() => 0);
      if (came > 0) await this.tellQueue(runs);
    }
  }

  private tellQueue(runs: readonly UncalledRun[]): Promise<void> {
    const dueAt = this.clock.now();
    return this.enqueue.add(
      runs.map(({ id, priority }) => ({ id, priority, dueAt, executor: this.definitions.executorOf(id) })),
    );
  }
}
