import type { Database } from '../client.js';
import { type OverdueRun, type RunToWake, toOverdueRun } from '../runs/wake-runs.js';
import { RUNS_TO_WAKE } from '../sql/alarms.js';
import { ATTEMPT_STARTS } from '../sql/find-callback.js';
import { Sql } from '../sql.js';

/** Those of the runs that wait for a callback, and until when. Only looks: whoever acts names the `wake_at` it has seen. */
export async function overdueCallbacks(database: Database, ids: readonly string[]): Promise<OverdueRun[]> {
  const rows = await Sql.on(database).rows<RunToWake>(RUNS_TO_WAKE, JSON.stringify(ids));
  const waiting = rows.filter((run) => run.status === 'WAITING_CALLBACK');
  return waiting.map((run) => toOverdueRun(run, run.wake_at.getTime()));
}

/** When a run's current attempt was started, and what its target answered. */
export interface AttemptStart {
  startedAt: number;
  httpStatus: number | null;
}

export async function attemptStarts(database: Database, ids: readonly string[]): Promise<Map<string, AttemptStart>> {
  const rows = await Sql.on(database).rows<{ id: string; started_at: Date; http_status: number | null }>(
    ATTEMPT_STARTS,
    JSON.stringify(ids),
  );
  return new Map(rows.map((row) => [row.id, { startedAt: row.started_at.getTime(), httpStatus: row.http_status }]));
}
