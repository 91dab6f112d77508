import { randomUUID } from 'node:crypto';
import { RUN_TRIGGERS, type RunTrigger } from '#domain';
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

/** In the order of the statement's columns. */
type ClaimedRow = [
  id: string,
  tenantId: string,
  taskId: bigint,
  taskName: string,
  trigger: RunTrigger,
  scheduledTime: Date,
  queuedAt: Date | null,
  attempt: number,
  tickAttempt: number,
  execId: string,
  maxAttempts: number,
  priority: number,
  attemptTimeoutSeconds: number | null,
  payload: unknown,
  traceId: string,
  taskVersion: number,
];

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
  return retried(() => sql.tuples<ClaimedRow>(CLAIM_RUNS, ...arrays, ...others));
}

async function claimOnMySql(sql: Sql, ids: string[], others: unknown[]): Promise<ClaimedRow[]> {
  const wanted = JSON.stringify(ids.map((id) => ({ id, exec_id: randomUUID() })));
  await retried(() => sql.run(CLAIM_RUNS, wanted, ...others));
  return sql.tuples<ClaimedRow>(onlyMySql(READ_CLAIMED_RUNS), wanted);
}

/** One text for all runs: a text of its own each would have to be looked up by its letters wherever something hangs on it. */
const TRIGGERS = new Map(RUN_TRIGGERS.map((trigger) => [trigger, trigger]));

function toClaimedRun([
  id,
  tenantId,
  taskId,
  taskName,
  trigger,
  scheduledTime,
  queuedAt,
  attempt,
  tickAttempt,
  execId,
  maxAttempts,
  priority,
  attemptTimeoutSeconds,
  payload,
  traceId,
  taskVersion,
]: ClaimedRow): ClaimedRun {
  return {
    id,
    tenantId,
    taskId,
    taskName,
    taskVersion,
    trigger: TRIGGERS.get(trigger) ?? trigger,
    scheduledTime: scheduledTime.getTime(),
    queuedAt: (queuedAt ?? scheduledTime).getTime(),
    attempt,
    tickAttempt,
    maxAttempts,
    priority,
    execId,
    attemptTimeoutSeconds,
    payload,
    traceId,
  };
}
