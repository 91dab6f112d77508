import type { Statement } from '../sql.js';

/**
 * How many tasks are enabled, of all tenants.
 * out: one row, {enabled}
 * cost: reads the whole index (tenant_id, deleted, status, id) and no table row; for the metrics, which ask rarely
 */
export const COUNT_ENABLED_TASKS: Statement = {
  postgresql: `SELECT count(*)::float8 AS enabled FROM tasks WHERE NOT deleted AND status = 'ENABLED'`,
  mysql: `SELECT count(*) AS enabled FROM tasks WHERE deleted = 0 AND status = 'ENABLED'`,
};
