import { type Checkup, checkTask, type Clock, type Database, findSuspects } from '#database';
import type { Logger } from 'pino';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import type { PipelineMetrics } from '../metrics/pipeline-metrics.js';

/** Most tasks one pass goes through, and most that it counts anew. */
const TASKS = 20_000;
const SUSPECTS = 500;

export interface RecountReport {
  /** Tasks gone through. */
  tasks: number;
  /** What was wrong, and has been put right. */
  repaired: Checkup[];
}

/**
 * Compares the counters of tasks with their runs, a slice of the tasks at a time, and puts right what differs. It never should:
 * the transactions that move runs move the counters. Safe to run anywhere, twice, at once.
 */
export class Recount {
  /** Where the next pass goes on. */
  private after = 0n;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
    private readonly log: Logger,
    private readonly metrics: PipelineMetrics,
  ) {}

  async runOnce(): Promise<RecountReport> {
    const { tasks, suspects, next } = await findSuspects(this.database, { after: this.after, most: TASKS });
    const repaired = [];
    for (const taskId of suspects.slice(0, SUSPECTS)) {
      const checkup = await this.checkOrSay(taskId);
      if (checkup.problems.length > 0) repaired.push(checkup);
    }
    this.after = suspects.length > SUSPECTS ? suspects[SUSPECTS - 1] : (next ?? 0n);
    return { tasks, repaired };
  }

  /** One task that cannot be counted must not keep the others from it. */
  private async checkOrSay(taskId: bigint): Promise<Checkup> {
    try {
      return await this.check(taskId);
    } catch (error) {
      this.log.error({ err: error, task_id: String(taskId) }, 'the runs of a task cannot be counted');
      return { taskId, problems: [], released: [] };
    }
  }

  private async check(taskId: bigint): Promise<Checkup> {
    const checkup = await checkTask(this.database, taskId, this.clock.now(), { repair: true });
    const { problems, released } = checkup;
    if (problems.length > 0)
      this.log.warn({ task_id: String(taskId), problems }, 'a task did not fit its runs: repaired');
    this.metrics.repaired(problems);
    await this.enqueue.add(released);
    return checkup;
  }
}
