import { NotFound, type RunStatus, type RunTrigger, WrongState } from '#domain';
import { ARCHIVED_STATUS, HOLD_RUN, KEEP_HANDLING } from '../sql/handle-runs.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';
import type { Witness } from '../witness.js';

/** What every decision of a person says. */
export interface Handling {
  tenantId: string;
  id: string;
  by?: string;
  remark?: string;
  witness?: Witness;
}

export interface HeldRun {
  id: string;
  task_id: bigint;
  status: RunStatus;
  priority: number;
  trigger: RunTrigger;
}

/** Locks a run that waits for a person. Throws NotFound, and WrongState for any other. */
export async function holdPending(sql: Sql, { id, tenantId }: Handling, deed: string): Promise<HeldRun> {
  const [held] = await sql.rows<HeldRun>(HOLD_RUN, id, tenantId);
  const [run] = held === undefined ? await sql.rows<HeldRun>(ARCHIVED_STATUS, id, tenantId) : [held];
  if (run === undefined) throw new NotFound('run', id);
  if (run.status !== 'PENDING') throw new WrongState(id, run.status, `only a PENDING run can be ${deed}`);
  return run;
}

/** Writes down who did what, while the run is still as it was. The caller holds it. */
export async function keepHandling(
  sql: Sql,
  { id, by, remark, witness }: Handling,
  { action, editsPayload }: { action: 'RESOLVE' | 'RETRY'; editsPayload: boolean },
  now: number,
): Promise<void> {
  await sql.run(KEEP_HANDLING, action, by ?? null, sqlTime(now), remark ?? null, editsPayload, editsPayload, id);
  await witness?.(sql, 'PENDING');
}
