import { type Database, keepFrom, pageOfLogs, type RetentionLease, type TaskLog, trimTaskLog } from '#database';
import { firstIdAfterHotOnes } from '#domain';
import type { Pace } from './pace.js';
import type { RetentionPolicy } from './retention-policy.js';

export interface TrimOptions {
  policy: Pick<RetentionPolicy, 'logsPerTask'>;
  batchSize: number;
}

const PAGE = 200;
/** How long one pass looks for logs that have grown too long: counting the runs of a task is a walk along an index. */
const SEARCH_MS = 2_000;

/** Bounds what the runs of a task leave behind: those before its newest ones lose their attempts. A few tasks in each pass. */
export class TrimLogs {
  /** Where the next pass goes on. */
  private after = 0n;

  constructor(
    private readonly database: Database,
    private readonly lease: RetentionLease,
    private readonly options: TrimOptions,
  ) {}

  /** Gives the number of runs; null when the lease is lost. */
  async runOnce(pace: Pace, now: number): Promise<number | null> {
    if (this.options.policy.logsPerTask === 0) return 0;
    const end = performance.now() + SEARCH_MS;
    let trimmed = 0;
    for (;;) {
      const page = await pageOfLogs(this.database, this.after, PAGE);
      for (const task of page) {
        if (performance.now() > end || !pace.goesOn) return trimmed;
        const runs = await this.trim(task, pace, now);
        if (runs === null) return null;
        trimmed += runs;
        this.after = task.taskId;
      }
      if (page.length < PAGE) break;
    }
    this.after = 0n;
    return trimmed;
  }

  private async trim(task: TaskLog, pace: Pace, now: number): Promise<number | null> {
    const { policy, batchSize: limit } = this.options;
    const newest = { runs: policy.logsPerTask, beforeId: firstIdAfterHotOnes(now) };
    const until = await keepFrom(this.database, task.taskId, newest);
    let trimmed = 0;
    for (let log = task; until !== null && log.keptFrom < until && pace.goesOn;) {
      const work = () => trimTaskLog(this.database, this.lease, log, { until, limit });
      const done = await pace.batch(work, (batch) => batch?.runs ?? 0);
      if (done === null) return null;
      trimmed += done.runs;
      log = { ...log, keptFrom: done.keptFrom };
    }
    return trimmed;
  }
}
