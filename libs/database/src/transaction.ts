import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Session } from './client.js';
import { faultOf } from './errors.js';

const TRIES = 5;

/**
 * Runs `work` in one READ COMMITTED transaction; on a deadlock or serialisation failure the whole of it again.
 * `work` must therefore do nothing but talk to the session it is given.
 *
 * Lock order, the same everywhere: task rows by ascending id, then run rows. Whoever keeps it cannot deadlock.
 */
export async function inTransaction<Result>(
  database: Database,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.client.$transaction(work, { isolationLevel: 'ReadCommitted' });
    } catch (error) {
      if (attempt >= TRIES || faultOf(error) !== 'retry') throw error;
      await pause(2 ** attempt * 2 * (0.5 + Math.random()));
    }
  }
}
