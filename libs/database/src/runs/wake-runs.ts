import type { RunStatus } from '#domain';
import type { Database } from '../client.js';
import { DUE_TO_WAKE, POSTPONE_WAKE } from '../sql/wake-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { inTransaction } from '../transaction.js';

/** A run nobody has moved by the time it was to be looked at. */
export interface OverdueRun {
  id: string;
  taskId: bigint;
  tenantId: string;
  status: RunStatus;
  execId: string | null;
  attempt: number;
  maxAttempts: number;
  node: string | null;
  priority: number;
  startedAt: number | null;
}

interface OverdueRow {
  id: string;
  task_id: bigint;
  tenant_id: string;
  status: RunStatus;
  exec_id: string | null;
  attempt: number;
  max_attempts: number;
  node: string | null;
  priority: number;
  started_at: Date | null;
}

/**
 * Takes overdue runs to be looked after, and puts off their next look, so that two rescuers do not take the same. If this
 * one dies before it has acted, the next look comes at `postponeTo`.
 */
export function takeOverdueRuns(
  database: Database,
  now: number,
  postponeTo: number,
  limit: number,
): Promise<OverdueRun[]> {
  return inTransaction(database, async (session) => {
    const sql = Sql.on(database, session);
    const rows = await sql.rows<OverdueRow>(DUE_TO_WAKE, sqlTime(now), limit);
    if (rows.length === 0) return [];
    await sql.run(POSTPONE_WAKE, JSON.stringify(rows.map((row) => row.id)), sqlTime(postponeTo));
    return rows.map(toOverdueRun);
  });
}

function toOverdueRun(row: OverdueRow): OverdueRun {
  return {
    id: row.id,
    taskId: row.task_id,
    tenantId: row.tenant_id,
    status: row.status,
    execId: row.exec_id,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    node: row.node,
    priority: row.priority,
    startedAt: row.started_at?.getTime() ?? null,
  };
}
