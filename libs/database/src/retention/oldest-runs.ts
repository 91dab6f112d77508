import type { Database } from '../client.js';
import { OLDEST_RUNS } from '../sql/oldest-runs.js';
import { Sql } from '../sql.js';

/** The scheduled time of the oldest run of each table, in epoch seconds; null where there is none. */
export async function oldestRuns(database: Database): Promise<{ run: number | null; archived: number | null }> {
  const [row] = await Sql.on(database).rows<{ run: string | null; archived: string | null }>(OLDEST_RUNS);
  return { run: secondOf(row.run), archived: secondOf(row.archived) };
}

const secondOf = (id: string | null): number | null => (id === null ? null : Number.parseInt(id, 10));
