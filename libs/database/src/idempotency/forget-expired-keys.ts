import type { Database } from '../client.js';
import { DELETE_EXPIRED_KEYS } from '../sql/expired-keys.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';

const AT_ONCE = 1_000;
/** Most statements of one call: the rest is for the next one. */
const ROUNDS = 50;

/** Deletes idempotency keys whose time is over, a few at a time, and says how many. */
export async function forgetExpiredKeys(database: Database, now: number): Promise<number> {
  let forgotten = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const deleted = await retried(() => Sql.on(database).run(DELETE_EXPIRED_KEYS, sqlTime(now), AT_ONCE));
    forgotten += deleted;
    if (deleted < AT_ONCE) break;
  }
  return forgotten;
}
