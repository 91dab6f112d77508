import type { Statement } from '../driver.js';
import type { NoticeRow } from '../outbox/notice-row.js';
import { SETTLE_AT_ONCE, SETTLE_AT_ONCE_AND_TELL } from '../sql/settle-at-once.js';
import type { Sql } from '../sql.js';

const MYSQL = 'SELECT 1 FROM only_postgresql_settles_at_once';
const SETTLE: Statement = { postgresql: SETTLE_AT_ONCE, mysql: MYSQL };
const SETTLE_AND_TELL: Statement = { postgresql: SETTLE_AT_ONCE_AND_TELL, mysql: MYSQL };

interface Answer {
  waiting: boolean;
  ids: string[];
}

/**
 * Ids of the runs that were closed; null when somebody waits for a slot of their tasks, and then nothing was done. Of the notices
 * those are written whose run was closed.
 */
export async function settleAtOnce(sql: Sql, rows: string, notices: readonly NoticeRow[]): Promise<Set<string> | null> {
  const [{ waiting, ids }] =
    notices.length === 0
      ? await sql.rows<Answer>(SETTLE, rows)
      : await sql.rows<Answer>(SETTLE_AND_TELL, rows, JSON.stringify(notices));
  return waiting ? null : new Set(ids);
}
