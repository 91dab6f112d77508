import type { TaskAdvance, TaskFacts } from '#database';
import { type AdmitVerdict, aheadSecond, countVerdict } from '#domain';

/** How tasks stand while runs of theirs are admitted one after another, and how they have moved in the end. */
export class Tally {
  private readonly now: Map<bigint, TaskFacts>;
  private readonly lastRuns = new Map<bigint, string>();

  constructor(
    private readonly before: ReadonlyMap<bigint, TaskFacts>,
    private readonly at: number,
  ) {
    this.now = new Map(before);
  }

  facts(taskId: bigint): TaskFacts | undefined {
    return this.now.get(taskId);
  }

  count(task: TaskFacts, verdict: AdmitVerdict, runId: string): void {
    this.now.set(task.id, countVerdict(task, verdict));
    this.lastRuns.set(task.id, runId);
  }

  /** Of the tasks that have a new run, and no others: schedules stay as they are. */
  advances(): TaskAdvance[] {
    return [...this.lastRuns].map(([id, lastRunId]) => {
      const [before, after] = [this.before.get(id), this.now.get(id)] as [TaskFacts, TaskFacts];
      return {
        id,
        nextFireAt: before.nextFireAt,
        active: after.activeRuns - before.activeRuns,
        queued: after.queuedRuns - before.queuedRuns,
        // By this one a second that was admitted ahead is found again, should it be taken back.
        lastRunId: aheadSecond(before.lastRunId, id, this.at) === null ? lastRunId : before.lastRunId,
      };
    });
  }
}
