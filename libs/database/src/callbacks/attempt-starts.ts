import type { Database } from '../client.js';
import { ATTEMPT_STARTS } from '../sql/find-callback.js';
import { Sql } from '../sql.js';

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
