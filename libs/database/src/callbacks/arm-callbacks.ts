import type { Deadlines } from '#domain';
import type { Database } from '../client.js';
import { byId } from '../runs/run-order.js';
import { ARM_CALLBACKS, INSERT_CALLBACKS_MYSQL, SET_DEADLINES_MYSQL } from '../sql/arm-callbacks.js';
import { sqlTime, sqlTimeIf } from '../sql-time.js';
import { onlyMySql, Sql } from '../sql.js';
import { inSqlTransaction, retried } from '../transaction.js';

/** An attempt that is about to be started, with the hash of its token. */
export interface ArmedAttempt extends Deadlines {
  runId: string;
  execId: string;
  attempt: number;
  tenantId: string;
  tokenHash: string;
  startedAt: number;
}

/** Commits what callbacks of these attempts will be asked for. The ids of those that may be called now; the others are not ours. */
export async function armCallbacks(database: Database, attempts: readonly ArmedAttempt[]): Promise<Set<string>> {
  const rows = JSON.stringify(attempts.map(toRow).sort(byId));
  const armed =
    database.dialect === 'mysql'
      ? await inSqlTransaction(database, (sql) => armOnMySql(sql, rows))
      : await retried(() => Sql.on(database).rows<{ id: string }>(ARM_CALLBACKS, rows));
  return new Set(armed.map((run) => run.id));
}

async function armOnMySql(sql: Sql, rows: string): Promise<{ id: string }[]> {
  const armed = await sql.rows<{ id: string }>(ARM_CALLBACKS, rows);
  if (armed.length > 0) {
    await sql.run(onlyMySql(INSERT_CALLBACKS_MYSQL), rows);
    await sql.run(onlyMySql(SET_DEADLINES_MYSQL), rows);
  }
  return armed;
}

function toRow(one: ArmedAttempt) {
  return {
    id: one.runId,
    exec_id: one.execId,
    attempt: one.attempt,
    tenant_id: one.tenantId,
    token_hash: one.tokenHash,
    started_at: sqlTime(one.startedAt),
    deadline_at: sqlTime(one.deadlineAt),
    heartbeat_deadline_at: sqlTimeIf(one.heartbeatDeadlineAt),
  };
}
