import type { RunStatus } from '#domain';
import type { Database } from '../client.js';
import { inSqlTransaction } from '../transaction.js';
import type { Sql, Statement } from '../sql.js';
import { forgetColdRun } from './cancel-cold-runs.js';
import { type CancelReason, type CancelReport, cancelRuns, holdUnfinished } from './cancel-runs.js';
import { lockTasks } from './free-slots.js';
import type { Witness } from '../witness.js';

const FIND: Statement = {
  postgresql: 'SELECT task_id, status FROM task_runs WHERE id = $1 AND tenant_id = $2',
  mysql: 'SELECT task_id, status FROM task_runs WHERE id = ? AND tenant_id = ?',
};

const FIND_ARCHIVED: Statement = {
  postgresql: FIND.postgresql.replace('task_runs', 'run_archive'),
  mysql: FIND.mysql.replace('task_runs', 'run_archive'),
};

/** What became of the wish: `was` is how the run stood. */
export type CancelAnswer = ({ was: RunStatus } & CancelReport) | null;

/** Calls one run off; one that is finished stays as it is. Null when there is no such run. */
export function cancelRun(
  database: Database,
  { tenantId, id, witness }: { tenantId: string; id: string; witness?: Witness },
  reason: CancelReason,
  now: number,
): Promise<CancelAnswer> {
  return inSqlTransaction(database, async (sql) => {
    const [found] = await sql.rows<{ task_id: bigint; status: RunStatus }>(FIND, id, tenantId);
    if (found === undefined) return archivedAnswer(sql, tenantId, id);
    const tasks = await lockTasks(sql, [found.task_id]);
    const runs = await holdUnfinished(sql, [id]);
    if (runs.length > 0) {
      if (runs[0].wake_at === null) await forgetColdRun(sql, found.task_id, id);
      await witness?.(sql, runs[0].status);
      return { was: runs[0].status, ...(await cancelRuns(sql, tasks, runs, () => reason, now)) };
    }
    // Asked again: it may have finished while we waited for its task.
    const [settled] = await sql.rows<{ status: RunStatus }>(FIND, id, tenantId);
    return { was: settled.status, canceled: [], released: [], notices: [] };
  });
}

/** It has ended long ago. */
async function archivedAnswer(sql: Sql, tenantId: string, id: string): Promise<CancelAnswer> {
  const [archived] = await sql.rows<{ status: RunStatus }>(FIND_ARCHIVED, id, tenantId);
  return archived === undefined ? null : { was: archived.status, canceled: [], released: [], notices: [] };
}
