import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';

const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

const offered = 'r.id, r.tenant_id, r.category, r.task_name, r.creator, 9 - r.priority, v.at';
const open = "r.status IN ('SCHEDULED', 'RETRYING') AND r.wake_at IS NOT NULL AND t.executor = 'AGENT'";
const columns = 'run_id, tenant_id, category, task_name, creator, place, available_at';

const rows = {
  postgresql: `SELECT ${offered} FROM json_to_recordset($1::json) AS v(id varchar(64), at timestamp)
    JOIN task_runs r ON r.id = v.id JOIN tasks t ON t.id = r.task_id WHERE ${open}`,
  mysql: `SELECT ${offered} FROM JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', at datetime(3) PATH '$.at')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = r.task_id WHERE ${open}`,
};

/**
 * Makes runs available to agents from a moment on; those that are to be executed, and are an agent's. A row that is left of an
 * earlier attempt counts no more: its moment has passed already.
 * in: JSON array of {id, at}
 */
export const OFFER_RUNS: Statement = {
  postgresql: `INSERT INTO agent_runs (${columns}) ${rows.postgresql}
    ON CONFLICT (run_id) DO UPDATE SET available_at = excluded.available_at`,
  mysql: `INSERT INTO agent_runs (${columns}) ${rows.mysql} ON DUPLICATE KEY UPDATE available_at = VALUES(available_at)`,
};

/** The same for those that are not available already; the others keep their place. out: how many there were not before */
export const OFFER_LOST_RUNS: Statement = {
  postgresql: `INSERT INTO agent_runs (${columns}) ${rows.postgresql} ON CONFLICT DO NOTHING`,
  mysql: `INSERT IGNORE INTO agent_runs (${columns}) ${rows.mysql}`,
};

/**
 * Rows of runs the caller holds.
 * in: JSON array of run ids
 * locks: the rows, skipping those others hold: whoever has one waits for our run, finds it closed, and drops the row
 */
export const HOLD_OFFERS: Statement = {
  postgresql: `SELECT run_id, available_at FROM agent_runs WHERE run_id IN (SELECT value FROM json_array_elements_text($1::json))
    FOR UPDATE SKIP LOCKED`,
  mysql: `SELECT a.run_id, a.available_at FROM JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$')) AS v
    STRAIGHT_JOIN agent_runs a FORCE INDEX (PRIMARY) ON a.run_id = v.id ${forUpdateOf('a')} SKIP LOCKED`,
};

/** in: JSON array of run ids. The caller holds the rows. */
export const DROP_OFFERS: Statement = {
  postgresql: 'DELETE FROM agent_runs WHERE run_id IN (SELECT value FROM json_array_elements_text($1::json))',
  mysql: `DELETE a FROM JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$')) AS v
    STRAIGHT_JOIN agent_runs a FORCE INDEX (PRIMARY) ON a.run_id = v.id`,
};

/** What a claim may be narrowed down to. */
export interface OfferFilter {
  categories?: readonly string[];
  types?: readonly string[];
  creator?: string;
}

/**
 * Takes runs that are available: the highest priority first, then the oldest.
 * in: the values that come with it, which end with the most rows
 * out: run_id
 * locks: the rows here, skipping those others hold: nobody ever waits for one
 */
export function takeOffers(
  { categories, types, creator }: OfferFilter,
  [tenantId, now]: [string, string],
  limit: number,
): { statement: Statement; values: unknown[] } {
  const values: unknown[] = [tenantId, now];
  const mark = (list: readonly string[]) => list.map((value) => `$${values.push(value)}`).join(', ');
  const narrowed = [
    categories && `AND category IN (${mark(categories)})`,
    types && `AND task_name IN (${mark(types)})`,
    creator !== undefined && `AND creator = ${mark([creator])}`,
  ].filter(Boolean);
  const where = `WHERE tenant_id = $1 AND available_at <= $2 ${narrowed.join(' ')}
    ORDER BY place, available_at, run_id LIMIT $${values.push(limit)} FOR UPDATE SKIP LOCKED`;
  const index = indexFor(categories, types);
  return {
    statement: {
      postgresql: `SELECT run_id FROM agent_runs ${where}`,
      mysql: `SELECT run_id FROM agent_runs FORCE INDEX (${index}) ${where.replace(/\$\d+/g, '?')}`,
    },
    values,
  };
}

/** One name at most keeps the order of the index; with several, the order is walked through. */
function indexFor(categories?: readonly string[], types?: readonly string[]): string {
  if (types?.length === 1) return 'agent_runs_type_idx';
  return categories?.length === 1 ? 'agent_runs_category_idx' : 'agent_runs_order_idx';
}
