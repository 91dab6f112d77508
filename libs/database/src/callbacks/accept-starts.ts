import type { Database } from '../client.js';
import { byId } from '../runs/run-order.js';
import { setAlarms } from '../runs/set-alarms.js';
import type { Settlement } from '../runs/settlement.js';
import { ACCEPT_STARTS, KEEP_STARTS_MYSQL, WAIT_FOR_CALLBACKS_MYSQL, WAKE_TIMES_MYSQL } from '../sql/accept-starts.js';
import { sqlTime } from '../sql-time.js';
import { onlyMySql, Sql } from '../sql.js';
import { inSqlTransaction, retried } from '../transaction.js';

/** A run whose target has accepted, and when somebody must look at it. */
export interface WaitingRun {
  id: string;
  wakeAt: number;
}

interface WaitingRow {
  id: string;
  wake_at: Date;
}

/**
 * The calls that started ASYNC attempts are over. Those that were accepted (WAITING_CALLBACK) wait from now on, unless a callback,
 * a cancel or rescue was faster; of all of them the record is kept beside their token.
 */
export async function acceptStarts(database: Database, starts: readonly Settlement[]): Promise<WaitingRun[]> {
  const rows = JSON.stringify(starts.map(toRow).sort(byId));
  const waiting =
    database.dialect === 'mysql'
      ? await inSqlTransaction(database, (sql) => acceptOnMySql(sql, rows))
      : await retried(() => Sql.on(database).rows<WaitingRow>(ACCEPT_STARTS, rows));
  return waiting.map((run) => ({ id: run.id, wakeAt: run.wake_at.getTime() }));
}

async function acceptOnMySql(sql: Sql, rows: string): Promise<WaitingRow[]> {
  const accepted = await sql.rows<{ id: string }>(ACCEPT_STARTS, rows);
  if (accepted.length > 0) await sql.run(onlyMySql(WAIT_FOR_CALLBACKS_MYSQL), rows);
  await sql.run(onlyMySql(KEEP_STARTS_MYSQL), rows);
  const ids = JSON.stringify(accepted.map((run) => run.id));
  const waiting = accepted.length > 0 ? await sql.rows<WaitingRow>(onlyMySql(WAKE_TIMES_MYSQL), ids) : [];
  await setAlarms(
    sql,
    waiting.map((run) => ({ runId: run.id, at: run.wake_at.getTime() })),
  );
  return waiting;
}

function toRow(start: Settlement) {
  return {
    id: start.runId,
    exec_id: start.execId,
    attempt: start.attempt,
    accepted: Number(start.status === 'WAITING_CALLBACK'),
    at: sqlTime(start.finishedAt),
    http_status: start.httpStatus ?? undefined,
    request: start.request === null ? undefined : JSON.stringify(start.request),
    response: start.response === null ? undefined : JSON.stringify(start.response),
  };
}
