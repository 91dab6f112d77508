import { aheadSecond } from '#domain';
import { DROP_ALARM, DROP_RUN, HOLD_UNBEGUN_RUN, PLAN_AGAIN } from '../sql/take-back.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

interface AdmittedAhead {
  id: bigint;
  lastRunId: string | null;
}

/**
 * Takes back the run of a second that has not come yet, as if nobody had admitted it ahead of time: the second is planned again. The
 * caller holds the task's state. Answers with that second, in epoch milliseconds, or null if there was nothing to take back.
 */
export async function takeBack(sql: Sql, { id, lastRunId }: AdmittedAhead, now: number): Promise<number | null> {
  const second = aheadSecond(lastRunId, id, now);
  if (second === null) return null;
  const [held] = await sql.rows<{ wake_at: Date }>(HOLD_UNBEGUN_RUN, lastRunId);
  if (held === undefined) return null;
  await sql.run(DROP_RUN, lastRunId);
  await sql.run(DROP_ALARM, sqlTime(held.wake_at), lastRunId);
  await sql.run(PLAN_AGAIN, sqlTime(second * 1000), id, lastRunId, id);
  return second * 1000;
}
