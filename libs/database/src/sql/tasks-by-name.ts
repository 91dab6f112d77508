import type { Statement } from '../sql.js';

/**
 * Ids of live tasks whose name starts with a text, newest first, by the index of names: every match is read there and their
 * ids are sorted. `id + 0` keeps the planner from walking the table by id instead, past everything that does not match.
 * in: tenant, the text, the first text behind it (or one behind all), the text as a LIKE pattern, id to stop before,
 *   and status, category, type or NULL for any, how many
 */
export const TASKS_BY_NAME: Statement = {
  postgresql: `SELECT id FROM tasks
    WHERE tenant_id = $1 AND live_name >= $2 AND live_name < $3 AND live_name LIKE $4 AND id < $5
      AND ($6::varchar IS NULL OR status = $6) AND ($7::varchar IS NULL OR category = $7) AND ($8::varchar IS NULL OR type = $8)
    ORDER BY id + 0 DESC LIMIT $9`,
  mysql: `SELECT id FROM tasks
    WHERE tenant_id = ? AND live_name >= ? AND live_name < ? AND live_name LIKE ? AND id < ?
      AND status = COALESCE(?, status) AND COALESCE(category, '') = COALESCE(?, category, '') AND type = COALESCE(?, type)
    ORDER BY id + 0 DESC LIMIT ?`,
};
