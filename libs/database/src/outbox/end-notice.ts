import type { Database } from '../client.js';
import { ACKNOWLEDGE_NOTICE, FAIL_TRY } from '../sql/end-notice.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';

/** One try, and where it went. */
export interface NoticeTry {
  id: string;
  claimId: string;
  url: string;
  method: string;
}

/** The receiver has acknowledged; a COMPLETED run becomes a SUCCESS with it. Says whether it did. */
export async function acknowledgeNotice(
  database: Database,
  { id, url, method }: NoticeTry,
  httpStatus: number,
  now: number,
): Promise<boolean> {
  const rows = await retried(() => Sql.on(database).run(ACKNOWLEDGE_NOTICE, url, method, sqlTime(now), httpStatus, id));
  // PostgreSQL counts the runs it changed, MySQL the notices as well.
  return rows > (database.dialect === 'postgresql' ? 0 : 1);
}

export interface FailedNoticeTry extends NoticeTry {
  /** Epoch milliseconds; null: it was the last one. */
  nextAt: number | null;
  httpStatus: number | null;
  error: string;
  /** The try was broken off by ourselves and does not count. */
  uncounted?: boolean;
}

export async function failTry(database: Database, failed: FailedNoticeTry): Promise<boolean> {
  const { id, claimId, url, method, nextAt, httpStatus, error, uncounted = false } = failed;
  const [status, next] = nextAt === null ? ['FAILED', null] : ['PENDING', sqlTime(nextAt)];
  const values = [url, method, status, next, Number(uncounted), httpStatus, error, id, claimId];
  return (await retried(() => Sql.on(database).run(FAIL_TRY, ...values))) > 0;
}
