import { isFinal } from '#domain';
import { ATTEMPT_ROW, CLOSE_RUNS_MYSQL, LEAVE_ATTEMPTS, SETTLE_RUNS } from '../sql/settle-runs.js';
import { sqlTime, sqlTimeIf } from '../sql-time.js';
import { onlyMySql, type Sql } from '../sql.js';
import { byId } from './run-order.js';
import { closedStatusOf, type Settlement, wakeAtOf } from './settlement.js';

/** Closes runs in the caller's transaction and leaves their attempts; answers with the ids of those that were still to be closed. */
export async function closeOnMySql(sql: Sql, settlements: readonly Settlement[]): Promise<Set<string>> {
  const found = await sql.rows<{ id: string }>(SETTLE_RUNS, JSON.stringify(settlements.map(guardOf).sort(byId)));
  const ids = new Set(found.map((row) => row.id));
  const open = settlements.filter((one) => ids.has(one.runId));
  await leaveAttempts(sql, open);
  if (open.length > 0) await sql.run(CLOSE_RUNS, JSON.stringify(open.map(closingOf).sort(byId)));
  return ids;
}

const CLOSE_RUNS = onlyMySql(CLOSE_RUNS_MYSQL);

export function leaveAttempts(sql: Sql, settlements: readonly Settlement[]): Promise<void> {
  const kept = settlements.filter((one) => !one.withoutAttempt);
  return sql.insertRows(LEAVE_ATTEMPTS, ATTEMPT_ROW, kept.map(attemptOf));
}

const guardOf = (one: Settlement) => ({
  id: one.runId,
  exec_id: one.execId,
  from_status: one.from,
  seen_wake_at: sqlTimeIf(one.seenWakeAt),
});

function closingOf(one: Settlement) {
  const status = closedStatusOf(one);
  return {
    id: one.runId,
    status,
    finished_at: isFinal(status) ? sqlTime(one.finishedAt) : undefined,
    wake_at: sqlTimeIf(wakeAtOf(one)),
    http_status: one.httpStatus ?? undefined,
    error_code: one.errorCode ?? undefined,
    error_info: one.errorInfo ?? undefined,
    result: one.result ?? undefined,
  };
}

/** In the order of the columns. */
function attemptOf(one: Settlement): unknown[] {
  return [
    one.runId,
    one.attempt,
    one.tenantId,
    one.execId,
    one.node,
    one.outcome,
    sqlTime(one.startedAt),
    sqlTime(one.finishedAt),
    one.request && JSON.stringify(one.request),
    one.response && JSON.stringify(one.response),
    one.httpStatus ?? 0,
    one.errorCode,
    one.errorInfo,
  ];
}
