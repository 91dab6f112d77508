import type { Statement } from '../driver.js';
import type { NoticeRow } from '../outbox/notice-row.js';
import { settleAtOnceWith } from '../sql/settle-at-once.js';
import type { Sql } from '../sql.js';

/** What a group has beside the runs it closes; each kind has a statement of its own, so that the others pay nothing for it. */
export interface SettleExtras {
  hasCallbacks: boolean;
  notices: readonly NoticeRow[];
}

const statementFor = (heard: boolean, told: boolean): Statement => ({
  postgresql: settleAtOnceWith({ heard, told }),
  mysql: 'SELECT 1 FROM only_postgresql_settles_at_once',
});
const PLAIN = { alone: statementFor(false, false), told: statementFor(false, true) };
const CALLED_BACK = { alone: statementFor(true, false), told: statementFor(true, true) };

interface Answer {
  waiting: boolean;
  ids: string[];
}

/**
 * Ids of the runs that were closed; null when somebody waits for a slot of their tasks, and then nothing was done. Of the notices
 * those are written whose run was closed.
 */
export async function settleAtOnce(
  sql: Sql,
  columns: readonly unknown[],
  { hasCallbacks, notices }: SettleExtras,
): Promise<Set<string> | null> {
  const statements = hasCallbacks ? CALLED_BACK : PLAIN;
  const [{ waiting, ids }] =
    notices.length === 0
      ? await sql.rows<Answer>(statements.alone, ...columns)
      : await sql.rows<Answer>(statements.told, ...columns, JSON.stringify(notices));
  return waiting ? null : new Set(ids);
}
