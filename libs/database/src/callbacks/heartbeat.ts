import type { Database } from '../client.js';
import { HEARTBEAT } from '../sql/heartbeat.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';

export interface Heartbeat {
  runId: string;
  execId: string;
  /** Absent: what is known of it stays. */
  progress?: unknown;
  /** The new sliding deadline; null where there is none. */
  heartbeatDeadlineAt: number | null;
}

/** False when the attempt is over, or its hard deadline has passed: nothing was changed. */
export async function heartbeat(database: Database, beat: Heartbeat, now: number): Promise<boolean> {
  const { runId, execId, progress, heartbeatDeadlineAt } = beat;
  const until = heartbeatDeadlineAt === null ? null : sqlTime(heartbeatDeadlineAt);
  const json = progress === undefined ? null : JSON.stringify(progress);
  const sql = Sql.on(database);
  return (await sql.run(HEARTBEAT, json, until, until, until, runId, execId, sqlTime(now))) > 0;
}
