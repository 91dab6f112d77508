import type { Database } from './client.js';
import { PING } from './sql/ping.js';
import { Sql } from './sql.js';

/** Resolves when the database has answered, on a connection of the pool everybody uses. */
export async function ping(database: Database): Promise<void> {
  await Sql.on(database).rows(PING);
}
