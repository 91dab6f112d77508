import type { NotifyTargets } from '#domain';
import { INSERT_NOTICES, NOTIFY_OF_TASKS } from '../sql/insert-notices.js';
import { fromJson } from '../sql-time.js';
import type { Sql } from '../sql.js';
import { type NoticeRow, noticeRowsOf, type ToldEnding } from './notice-row.js';

/** A notice that is committed: the queue may be told. */
export interface NoticeToSend {
  id: string;
  /** Tries so far. */
  attempts: number;
  /** Epoch milliseconds. */
  dueAt: number;
  /** Whose share of a worker's places it takes: the receiver's host, or nothing for the deployment's own. */
  host?: string;
}

export const toSend = ({ id, url }: { id: string; url: string }, now: number): NoticeToSend => ({
  ...{ id, attempts: 0, dueAt: now, host: hostOf(url) },
});

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

export async function writeNotices(sql: Sql, rows: readonly NoticeRow[]): Promise<void> {
  if (rows.length > 0) await sql.run(INSERT_NOTICES, JSON.stringify(rows));
}

/** For those who know only that their tasks have somebody to tell, not whom. */
export async function writeNoticesOf(
  sql: Sql,
  endings: readonly Omit<ToldEnding, 'notify' | 'tenantId'>[],
): Promise<NoticeRow[]> {
  if (endings.length === 0) return [];
  const ids = [...new Set(endings.map(({ taskId }) => String(taskId)))];
  const tasks = await sql.rows<{ id: bigint; tenant_id: string; notify: unknown }>(
    NOTIFY_OF_TASKS,
    JSON.stringify(ids),
  );
  const byId = new Map(tasks.map((task) => [BigInt(task.id), task]));
  const rows = endings.flatMap((ending) => {
    const task = byId.get(BigInt(ending.taskId));
    if (task === undefined) return [];
    const notify = fromJson(task.notify) as NotifyTargets | null;
    return noticeRowsOf({ ...ending, tenantId: task.tenant_id, notify });
  });
  await writeNotices(sql, rows);
  return rows;
}
