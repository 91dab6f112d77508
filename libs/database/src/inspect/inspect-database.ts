import type { Database } from '../client.js';
import { INDEXES, SERVER_VERSION } from '../sql/inspect.js';
import { Sql } from '../sql.js';

/** Such as "PostgreSQL 18.4" or "MariaDB 10.11.6-MariaDB". */
export async function serverVersion(database: Database): Promise<string> {
  const [{ version }] = await Sql.on(database).rows<{ version: string }>(SERVER_VERSION);
  return version;
}

/** The indexes there are, by name, and whether each can be used. */
export async function indexesOf(database: Database): Promise<Map<string, boolean>> {
  const rows = await Sql.on(database).rows<{ name: string; valid: boolean | number | bigint }>(INDEXES);
  return new Map(rows.map(({ name, valid }) => [name, Boolean(Number(valid))]));
}
