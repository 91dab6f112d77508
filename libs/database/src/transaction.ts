import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Session } from './client.js';
import { faultOf, isLockWait } from './errors.js';
import type { Sql } from './sql.js';

const TRIES = 5;

/**
 * Both kinds of transaction are READ COMMITTED, and on a deadlock or serialisation failure all of `work` runs again: it
 * must do nothing but talk to the session it is given. A lock that was waited for in vain is not waited for again: that took long enough.
 *
 * Lock order, the same everywhere: task rows by ascending id, then run rows by ascending id. Whoever keeps it cannot deadlock.
 */
export function inTransaction<Result>(
  database: Database,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return retried(() => database.client.$transaction(work, { isolationLevel: 'ReadCommitted' }));
}

/** For the hot path: raw statements only, without Prisma in between. */
export function inSqlTransaction<Result>(database: Database, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  return retried(() => database.driver.transaction(work));
}

/** For statements that lock several rows, and do no harm when they are sent again. */
export async function retried<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= TRIES || faultOf(error) !== 'retry' || isLockWait(error)) throw error;
      await pause(2 ** attempt * 2 * (0.5 + Math.random()));
    }
  }
}
