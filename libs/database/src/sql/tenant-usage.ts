import type { Statement } from '../sql.js';

/**
 * How many live tasks a tenant has, counted no further than asked.
 * in: tenant, how far
 * cost: reads that much of the index (tenant_id, deleted, id)
 */
export const COUNT_TASKS_OF_TENANT: Statement = {
  postgresql: `SELECT count(*)::float8 AS count FROM (SELECT 1 FROM tasks WHERE tenant_id = $1 AND NOT deleted LIMIT $2) AS few`,
  mysql: `SELECT count(*) AS count FROM (SELECT 1 FROM tasks WHERE tenant_id = ? AND deleted = 0 LIMIT ?) AS few`,
};

/**
 * How many unfinished runs a tenant has: by the counters of its tasks, and those that wait for their time, counted no further than asked.
 * in: tenant, tenant, how far
 * cost: reads the states of all tasks of the tenant; for answers that are kept for a while
 */
const counted = `SELECT coalesce(sum(s.active_runs + s.queued_runs), 0) FROM tasks t`;
const cold = (values: [string, string]) =>
  `SELECT count(*) FROM (SELECT 1 FROM cold_runs WHERE tenant_id = ${values[0]} LIMIT ${values[1]}) AS few`;

export const COUNT_UNFINISHED_OF_TENANT: Statement = {
  postgresql: `SELECT ((${counted} JOIN task_states s ON s.task_id = t.id WHERE t.tenant_id = $1 AND NOT t.deleted)
    + (${cold(['$2', '$3'])}))::float8 AS count`,
  mysql: `SELECT (${counted} STRAIGHT_JOIN task_states s FORCE INDEX (PRIMARY) ON s.task_id = t.id
    WHERE t.tenant_id = ? AND t.deleted = 0) + (${cold(['?', '?'])}) AS count`,
};
