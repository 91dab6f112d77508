import {
  advanceTasks,
  type Clock,
  type ColdRow,
  type Database,
  dropColdRows,
  inSqlTransaction,
  nextColdRuns,
  offerRuns,
  takeColdRuns,
  warmRuns,
} from '#database';
import { HOT_MS, type RunToDispatch } from '#domain';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';
import { decideWarm } from './decide-warm.js';
import { letPass } from './let-pass.js';

/** Most runs one transaction admits. */
const BATCH = 500;

/**
 * Admits cold runs when they start, or a moment before where that makes no difference to others: until then nobody has counted
 * them or told a queue of them. Any number of these work side by side, each on rows of its own.
 */
export class WarmRuns {
  /** When those start that are not to be admitted before, by id: they need not be taken until then. */
  private readonly left = new Map<string, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
  ) {}

  /** Everything whose time has come, batch by batch. Gives when the next one starts that waits for just that; Infinity if none is near. */
  async runOnce(): Promise<number> {
    const now = this.clock.now();
    const seen = new Set<string>();
    let last: ColdRow | undefined;
    for (let isFull = true; isFull;) {
      const near = await nextColdRuns(this.database, now + HOT_MS, BATCH, last);
      for (const { run_id: id } of near) seen.add(id);
      await this.enqueue.add(await this.warm(near.filter((row) => !this.isLeft(row))));
      last = near.at(-1);
      isFull = near.length === BATCH;
    }
    let next = Infinity;
    for (const [id, start] of this.left) {
      if (!seen.has(id)) this.left.delete(id);
      // Also one that has started since the first look.
      else if (start > now) next = Math.min(next, start);
    }
    return next;
  }

  private isLeft({ run_id: id }: ColdRow): boolean {
    return (this.left.get(id) ?? 0) > this.clock.now();
  }

  /** Gives what the queue is to be told. */
  private async warm(wanted: readonly ColdRow[]): Promise<RunToDispatch[]> {
    if (wanted.length === 0) return [];
    return inSqlTransaction(this.database, async (sql) => {
      const taken = await takeColdRuns(sql, wanted);
      // Only now: waiting for the tasks may have taken a while.
      const now = this.clock.now();
      const started = taken.runs.filter((run) => run.scheduledTime <= now).map((run) => run.taskId);
      await letPass(sql, taken.tasks, started, now);
      const { runs, left, advances } = decideWarm(taken, now);
      await dropColdRows(
        sql,
        taken.rows.filter((row) => !left.has(row.run_id)),
      );
      await warmRuns(sql, runs, now);
      if (advances.length > 0) await advanceTasks(sql, advances);
      for (const { id, scheduledTime } of taken.runs) if (left.has(id)) this.left.set(id, scheduledTime);
      const hot = new Set(runs.flatMap((run) => (run.status === 'SCHEDULED' ? [run.id] : [])));
      const toDispatch = taken.runs
        .filter((run) => hot.has(run.id))
        .map((run) => ({ ...run, dueAt: run.scheduledTime, executor: taken.tasks.get(run.taskId)?.executor }));
      await offerRuns(sql, toDispatch);
      return toDispatch;
    });
  }
}
