import type { Database } from '../client.js';
import { OUTBOX_BACKLOG, OVERDUE_NOTICES, WAITING_NOTICES } from '../sql/overdue-notices.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { hostOf, type NoticeToSend } from './write-notices.js';

export async function overdueNotices(
  database: Database,
  dueBefore: number,
  limit: number,
): Promise<Omit<NoticeToSend, 'dueAt'>[]> {
  const rows = await Sql.on(database).rows<OverdueRow>(OVERDUE_NOTICES, sqlTime(dueBefore), limit);
  return rows.map(({ id, attempts, url }) => ({ id, attempts, host: hostOf(url) }));
}

interface OverdueRow {
  id: string;
  attempts: number;
  url: string;
}

const BEGINNING = { id: '', dueAt: 0 };

/** Notices that the queue should know of, in the order they are due; those after the last one of the page before. */
export async function waitingNotices(
  database: Database,
  after: Pick<NoticeToSend, 'id' | 'dueAt'> | undefined,
  limit: number,
): Promise<NoticeToSend[]> {
  const { id: lastId, dueAt } = after ?? BEGINNING;
  const values = [sqlTime(dueAt), sqlTime(dueAt), lastId, limit];
  const rows = await Sql.on(database).rows<OverdueRow & { next_attempt_at: Date }>(WAITING_NOTICES, ...values);
  return rows.map(({ id, attempts, url, next_attempt_at: at }) => ({
    ...{ id, attempts, host: hostOf(url), dueAt: at.getTime() },
  }));
}

/** More than this are not counted: it is a number to worry about either way. */
const COUNTED = 100_000;

export interface OutboxBacklog {
  pending: number;
  /** Epoch milliseconds; null when nothing waits. */
  oldest: number | null;
}

export async function outboxBacklog(database: Database): Promise<OutboxBacklog> {
  const [row] = await Sql.on(database).rows<{ pending: number | bigint; oldest: Date | null }>(OUTBOX_BACKLOG, COUNTED);
  return { pending: Number(row.pending), oldest: row.oldest?.getTime() ?? null };
}
