import type { Statement } from '../sql.js';

/**
 * Locks tasks in the order everybody locks them: by ascending id.
 * in: JSON array of ids
 * out: what deciding about their slots needs
 */
const columns = 't.id, t.max_concurrency, t.concurrency_policy, t.active_runs, t.queued_runs';

export const LOCK_TASKS: Statement = {
  postgresql: `SELECT ${columns} FROM tasks t
    WHERE t.id IN (SELECT value::bigint FROM json_array_elements_text($1::json)) ORDER BY t.id FOR UPDATE`,
  mysql: `SELECT ${columns} FROM tasks t
    WHERE t.id IN (SELECT id FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v) ORDER BY t.id FOR UPDATE`,
};
