import type { Backfill } from '#database';

/** A backfill as the outside sees it. What became of its runs is counted once a second. */
export function presentBackfill(backfill: Backfill) {
  return {
    id: String(backfill.id),
    task_id: String(backfill.taskId),
    status: backfill.status,
    from: backfill.fromAt.toISOString(),
    to: backfill.toAt.toISOString(),
    max_parallel: backfill.maxParallel,
    cursor: hasBegun(backfill) ? backfill.cursorAt.toISOString() : null,
    total: backfill.totalSeconds,
    created: backfill.createdRuns,
    existing: backfill.existingRuns,
    open: (backfill.openRuns as string[]).length,
    succeeded: backfill.succeededRuns,
    failed: backfill.failedRuns,
    canceled: backfill.canceledRuns,
    created_at: backfill.createdAt.toISOString(),
    updated_at: backfill.updatedAt.toISOString(),
    finished_at: backfill.finishedAt?.toISOString() ?? null,
  };
}

const hasBegun = ({ createdRuns, existingRuns }: Backfill): boolean => createdRuns + existingRuns > 0;
