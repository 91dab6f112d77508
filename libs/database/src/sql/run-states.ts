import type { Statement } from '../sql.js';

const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v`;
const columns = 'r.id, r.status, r.skip_reason';
const archived = 'a.id, a.status, NULL AS skip_reason';

/**
 * How runs stand, also archived ones: in one statement, so that none is missed that is being moved.
 * in: JSON array of run ids, the same again; out: those that exist
 */
export const RUN_STATES: Statement = {
  postgresql: `SELECT ${columns} FROM json_array_elements_text($1::json) AS v(id) JOIN task_runs r ON r.id = v.id
    UNION ALL SELECT ${archived} FROM json_array_elements_text($2::json) AS v(id) JOIN run_archive a ON a.id = v.id`,
  mysql: `SELECT ${columns} FROM ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    UNION ALL SELECT ${archived} FROM ${ids} STRAIGHT_JOIN run_archive a FORCE INDEX (PRIMARY) ON a.id = v.id`,
};
