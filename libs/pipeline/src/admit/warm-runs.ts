import {
  advanceTasks,
  type Clock,
  type Database,
  inSqlTransaction,
  offerRuns,
  takeColdRuns,
  warmRuns,
} from '#database';
import { HOT_MS, type RunToDispatch } from '#domain';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import { decideWarm } from './decide-warm.js';

/** Most runs one transaction admits. */
const BATCH = 500;

/**
 * Admits cold runs a moment before they start: until then nobody has counted them or told a queue of them. Any number of
 * these work side by side, each on rows of its own.
 */
export class WarmRuns {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
  ) {}

  /** Everything whose time has come, batch by batch. Gives the number of runs it went through. */
  async runOnce(): Promise<number> {
    let total = 0;
    for (;;) {
      const { taken, toDispatch } = await this.warmBatch();
      await this.enqueue.add(toDispatch);
      total += taken;
      if (taken < BATCH) return total;
    }
  }

  private warmBatch(): Promise<{ taken: number; toDispatch: RunToDispatch[] }> {
    return inSqlTransaction(this.database, async (sql) => {
      const due = await takeColdRuns(sql, this.clock.now() + HOT_MS, BATCH);
      // Only now: waiting for the tasks may have taken a while.
      const now = this.clock.now();
      const { runs, advances } = decideWarm(due, now);
      await warmRuns(sql, runs, now);
      if (advances.length > 0) await advanceTasks(sql, advances);
      const hot = new Set(runs.flatMap((run) => (run.status === 'SCHEDULED' ? [run.id] : [])));
      const toDispatch = due.runs
        .filter((run) => hot.has(run.id))
        .map((run) => ({ ...run, dueAt: run.scheduledTime, executor: due.tasks.get(run.taskId)?.executor }));
      await offerRuns(sql, toDispatch);
      return { taken: due.taken, toDispatch };
    });
  }
}
