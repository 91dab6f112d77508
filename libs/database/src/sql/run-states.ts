import type { Statement } from '../sql.js';

const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v`;
const columns = 'r.id, r.status, r.skip_reason';

/** How runs stand. in: JSON array of run ids; out: those that exist */
export const RUN_STATES: Statement = {
  postgresql: `SELECT ${columns} FROM json_array_elements_text($1::json) AS v(id) JOIN task_runs r ON r.id = v.id`,
  mysql: `SELECT ${columns} FROM ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id`,
};
