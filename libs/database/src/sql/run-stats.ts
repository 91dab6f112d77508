import type { Statement } from '../sql.js';

/**
 * How many of a tenant's runs are in a status that has an index, counted up to a limit.
 * in: tenant, status, most
 */
export const COUNT_IN_STATUS: Statement = {
  postgresql: `SELECT count(*)::int AS runs
    FROM (SELECT id FROM task_runs WHERE tenant_id = $1 AND attention = $2 LIMIT $3) AS found`,
  mysql: `SELECT CAST(count(*) AS SIGNED) AS runs
    FROM (SELECT id FROM task_runs FORCE INDEX (task_runs_tenant_id_attention_id_idx)
      WHERE tenant_id = ? AND attention = ? LIMIT ?) AS found`,
};

/** How many of a tenant's runs start later and are not admitted yet, counted up to a limit. in: tenant, most */
export const COUNT_COLD_RUNS: Statement = {
  postgresql: `SELECT count(*)::int AS runs FROM (SELECT run_id FROM cold_runs WHERE tenant_id = $1 LIMIT $2) AS found`,
  mysql: `SELECT CAST(count(*) AS SIGNED) AS runs
    FROM (SELECT run_id FROM cold_runs FORCE INDEX (cold_runs_tenant_id_run_id_idx) WHERE tenant_id = ? LIMIT ?) AS found`,
};

/**
 * SCHEDULED and RUNNING runs have no index by status. Each has an alarm, beside which are only those of runs that have ended a moment ago.
 * in: most alarms, tenant; out: {status, runs}
 * Each run is looked up by its id: OFFSET keeps PostgreSQL from joining with all of the tenant's history instead.
 */
const looked = 'SELECT DISTINCT run_id FROM (SELECT run_id FROM run_alarms ORDER BY at, run_id LIMIT';
const moving = "r.wake_at IS NOT NULL AND r.status IN ('SCHEDULED', 'RUNNING')";

export const COUNT_MOVING_RUNS: Statement = {
  postgresql: `SELECT run.status, count(*)::int AS runs FROM (${looked} $1) AS found) AS a
    CROSS JOIN LATERAL (SELECT r.status FROM task_runs r WHERE r.id = a.run_id AND r.tenant_id = $2 AND ${moving} OFFSET 0) AS run
    GROUP BY run.status`,
  mysql: `SELECT STRAIGHT_JOIN r.status, CAST(count(*) AS SIGNED) AS runs FROM (${looked} ?) AS found) AS a
    JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = a.run_id WHERE r.tenant_id = ? AND ${moving} GROUP BY r.status`,
};

/** How many alarms there are, counted up to a limit. in: most */
export const COUNT_ALARMS: Statement = {
  postgresql: 'SELECT count(*)::int AS runs FROM (SELECT run_id FROM run_alarms ORDER BY at, run_id LIMIT $1) AS found',
  mysql:
    'SELECT CAST(count(*) AS SIGNED) AS runs FROM (SELECT run_id FROM run_alarms ORDER BY at, run_id LIMIT ?) AS found',
};

/**
 * A tenant's newest runs of a range of ids: a walk along one index that ends at the limit.
 * in: tenant, tenant (MariaDB wants a range, see keyset.ts), from id, before id, most
 */
const recent = 'status, `trigger`, scheduled_time, started_at, finished_at';

export const RECENT_RUNS: Statement = {
  postgresql: `SELECT ${recent.replaceAll('`', '"')} FROM task_runs
    WHERE tenant_id = $1 AND tenant_id = $2 AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $5`,
  mysql: `SELECT ${recent} FROM task_runs FORCE INDEX (task_runs_tenant_id_id_idx)
    WHERE tenant_id >= ? AND tenant_id <= ? AND id >= ? AND id < ? ORDER BY tenant_id DESC, id DESC LIMIT ?`,
};
