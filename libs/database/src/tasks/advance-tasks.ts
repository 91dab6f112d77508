import { ADVANCE_TASKS } from '../sql/advance-tasks.js';
import { sqlTimeIf } from '../sql-time.js';
import type { Sql } from '../sql.js';

/** Where a task's schedule stands after a tick, and how its counters move. */
export interface TaskAdvance {
  id: bigint;
  nextFireAt: number | null;
  active: number;
  queued: number;
  lastRunId: string | null;
  /** Whether a tick was skipped for the last failure; left as it is where it is not said. */
  failureSkipped?: boolean;
}

export async function advanceTasks(sql: Sql, advances: readonly TaskAdvance[]): Promise<void> {
  const rows = advances.map((advance) => ({
    id: String(advance.id),
    next_fire_at: sqlTimeIf(advance.nextFireAt),
    active: advance.active,
    queued: advance.queued,
    last_run_id: advance.lastRunId ?? undefined,
    failure_skipped: advance.failureSkipped === undefined ? undefined : Number(advance.failureSkipped),
  }));
  await sql.run(ADVANCE_TASKS, JSON.stringify(rows));
}
