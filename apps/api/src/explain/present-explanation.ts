import type { TaskRun } from '#database';
import type { Explanation, RunFact } from '#domain';

/** A row together with what the decision reads of it. */
export type RunWithFact = RunFact & { row: TaskRun };

export function presentExplanation(at: number, { answer, detail, run, nextDue }: Explanation<RunWithFact>) {
  return {
    at: instant(at),
    answer,
    detail,
    ...(run === undefined ? {} : rowOf(run)),
    ...(nextDue === undefined ? {} : { next_due: instant(nextDue) }),
  };
}

function rowOf({ row, skipReason, blockedBy, missedFrom, missedCount }: RunWithFact) {
  return {
    run: {
      id: row.id,
      status: row.status,
      trigger: row.trigger,
      scheduled_time: row.scheduledTime.toISOString(),
      started_at: row.startedAt?.toISOString() ?? null,
      finished_at: row.finishedAt?.toISOString() ?? null,
      error_code: row.errorCode,
    },
    skip_reason: skipReason ?? undefined,
    blocked_by: blockedBy ?? undefined,
    missed_from: missedFrom === null ? undefined : instant(missedFrom),
    missed_count: missedCount ?? undefined,
  };
}

const instant = (second: number): string => new Date(second * 1000).toISOString();
