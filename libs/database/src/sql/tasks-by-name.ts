import type { Statement } from '../sql.js';

/**
 * Ids of live tasks whose name starts with a text, newest first, by the index of names: every match is read there and their
 * ids are sorted. `id + 0` keeps the planner from walking the table by id instead, past everything that does not match.
 * in: tenant, the text, the first text behind it (or one behind all), the text as a LIKE pattern, id to stop before,
 *   and status, category, type or NULL for any, how many
 */
const begins = {
  postgresql: 'tenant_id = $1 AND live_name >= $2 AND live_name < $3 AND live_name LIKE $4 AND id < $5',
  mysql: 'tenant_id = ? AND live_name >= ? AND live_name < ? AND live_name LIKE ? AND id < ?',
};
const fits = {
  postgresql:
    '($6::varchar IS NULL OR status = $6) AND ($7::varchar IS NULL OR category = $7) AND ($8::varchar IS NULL OR type = $8)',
  mysql:
    "status = COALESCE(?, status) AND COALESCE(category, '') = COALESCE(?, category, '') AND type = COALESCE(?, type)",
};

export const TASKS_BY_NAME: Statement = {
  postgresql: `SELECT id FROM tasks WHERE ${begins.postgresql} AND ${fits.postgresql} ORDER BY id + 0 DESC LIMIT $9`,
  mysql: `SELECT id FROM tasks WHERE ${begins.mysql} AND ${fits.mysql} ORDER BY id + 0 DESC LIMIT ?`,
};

/** Most matches that are read and sorted before another way is tried. */
export const FEW_MATCHES = 2_000;

/**
 * The same as long as there are few of them, in one short look at that index and, on MySQL, at nothing else.
 * in: as above without status, category and type
 * out: ids, and with each of them how many matches there are; more than FEW_MATCHES: there are others, and these are not the newest
 */
const few = (matches: string, limit: string) => `SELECT id, count(*) OVER () AS matches
  FROM (${matches} LIMIT ${FEW_MATCHES + 1}) AS few ORDER BY id DESC LIMIT ${limit}`;

export const FEW_TASKS_BY_NAME: Statement = {
  postgresql: few(`SELECT id FROM tasks WHERE ${begins.postgresql}`, '$6'),
  mysql: few(`SELECT id FROM tasks FORCE INDEX (tasks_tenant_id_live_name_key) WHERE ${begins.mysql}`, '?'),
};
