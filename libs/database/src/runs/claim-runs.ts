import { randomUUID } from 'node:crypto';
import type { RunTrigger } from '#domain';
import type { Database } from '../client.js';
import { CLAIM_RUNS, READ_CLAIMED_RUNS } from '../sql/claim-runs.js';
import { sqlTime } from '../sql-time.js';
import { onlyMySql, Sql } from '../sql.js';
import { textArray } from '../text-columns.js';
import { retried } from '../transaction.js';

/** One execution, claimed: from here on its `execId` is the only one that may settle the run. */
export interface ClaimedRun {
  id: string;
  tenantId: string;
  taskId: bigint;
  taskName: string;
  taskVersion: number;
  trigger: RunTrigger;
  scheduledTime: number;
  /** When it was admitted. */
  queuedAt: number;
  attempt: number;
  tickAttempt: number;
  maxAttempts: number;
  priority: number;
  execId: string;
  attemptTimeoutSeconds: number | null;
  payload: unknown;
  traceId: string;
}

interface ClaimedRow {
  id: string;
  tenant_id: string;
  task_id: bigint;
  task_name: string;
  task_version: number;
  trigger: RunTrigger;
  scheduled_time: Date;
  queued_at: Date | null;
  attempt: number;
  tick_attempt: number;
  max_attempts: number;
  priority: number;
  exec_id: string;
  attempt_timeout_seconds: number | null;
  payload: unknown;
  trace_id: string;
}

/** Takes those of the runs that are still to be executed, and may still start; the others are not in the answer. */
export async function claimRuns(
  database: Database,
  ids: readonly string[],
  by: { node: string; now: number; leaseMs: number },
): Promise<ClaimedRun[]> {
  const sorted = [...ids].sort();
  const sql = Sql.on(database);
  const times = [sqlTime(by.now), sqlTime(by.now + by.leaseMs), sqlTime(by.now)];
  const rows = await (sql.dialect === 'mysql' ? claimOnMySql : claimOnPostgres)(sql, sorted, [by.node, ...times]);
  return rows.map(toClaimedRun);
}

function claimOnPostgres(sql: Sql, ids: string[], others: unknown[]): Promise<ClaimedRow[]> {
  const arrays = [textArray(ids), textArray(ids.map(() => randomUUID()))];
  return retried(() => sql.rows<ClaimedRow>(CLAIM_RUNS, ...arrays, ...others));
}

async function claimOnMySql(sql: Sql, ids: string[], others: unknown[]): Promise<ClaimedRow[]> {
  const wanted = JSON.stringify(ids.map((id) => ({ id, exec_id: randomUUID() })));
  await retried(() => sql.run(CLAIM_RUNS, wanted, ...others));
  return sql.rows<ClaimedRow>(onlyMySql(READ_CLAIMED_RUNS), wanted);
}

function toClaimedRun(row: ClaimedRow): ClaimedRun {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    taskId: row.task_id,
    taskName: row.task_name,
    taskVersion: row.task_version,
    trigger: row.trigger,
    scheduledTime: row.scheduled_time.getTime(),
    queuedAt: (row.queued_at ?? row.scheduled_time).getTime(),
    attempt: row.attempt,
    tickAttempt: row.tick_attempt,
    maxAttempts: row.max_attempts,
    priority: row.priority,
    execId: row.exec_id,
    attemptTimeoutSeconds: row.attempt_timeout_seconds,
    payload: row.payload,
    traceId: row.trace_id,
  };
}
