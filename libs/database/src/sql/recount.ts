import type { Statement } from '../sql.js';

/**
 * What the recount reads, page by page, in one snapshot: all of them together show one moment. None of them locks.
 */

/** Every tenant there is: a step along an index for each. */
export const TENANTS: Statement = {
  postgresql: `WITH RECURSIVE known AS ((SELECT tenant_id FROM tasks ORDER BY tenant_id LIMIT 1) UNION ALL
      SELECT (SELECT t.tenant_id FROM tasks t WHERE t.tenant_id > known.tenant_id ORDER BY t.tenant_id LIMIT 1)
      FROM known WHERE known.tenant_id IS NOT NULL)
    SELECT tenant_id FROM known WHERE tenant_id IS NOT NULL`,
  mysql: 'SELECT DISTINCT tenant_id FROM tasks',
};

/**
 * Alarms and the runs they are for.
 * in: the time of the last one seen, twice, its run id, how many
 */
const alarmed =
  'a.at, a.run_id, r.task_id, r.status, r.wake_at IS NOT NULL AS awake FROM run_alarms a LEFT JOIN task_runs r';

export const ALARMED_RUNS: Statement = {
  postgresql: `SELECT ${alarmed} ON r.id = a.run_id
    WHERE a.at >= $1 AND (a.at > $2 OR a.run_id > $3) ORDER BY a.at, a.run_id LIMIT $4`,
  mysql: `SELECT ${alarmed} FORCE INDEX (PRIMARY) ON r.id = a.run_id
    WHERE a.at >= ? AND (a.at > ? OR a.run_id > ?) ORDER BY a.at, a.run_id LIMIT ?`,
};

/** Runs in one of the statuses that have an index. in: tenant, status, the last id seen, how many */
export const RUNS_IN_STATUS: Statement = {
  postgresql: `SELECT id, task_id FROM task_runs WHERE tenant_id = $1 AND attention = $2 AND id > $3 ORDER BY id LIMIT $4`,
  mysql: `SELECT id, task_id FROM task_runs FORCE INDEX (task_runs_tenant_id_attention_id_idx)
    WHERE tenant_id = ? AND attention = ? AND id > ? ORDER BY id LIMIT ?`,
};

/** Where the next page of tasks ends. in: the last id seen, how many; out: the last id on it or NULL, and their number */
export const PAGE_OF_STATES: Statement = {
  postgresql: `SELECT max(task_id) AS last, count(*) AS tasks
    FROM (SELECT task_id FROM task_states WHERE task_id > $1 ORDER BY task_id LIMIT $2) AS page`,
  mysql: `SELECT max(task_id) AS last, count(*) AS tasks
    FROM (SELECT task_id FROM task_states WHERE task_id > ? ORDER BY task_id LIMIT ?) AS page`,
};

/** The states that have something to tell. in: the last id of the page before, the last id of this one */
const misremembers = '(r.attempt = 0 OR r.task_id <> s.task_id)';
const telling = `s.task_id, s.active_runs, s.queued_runs, t.deleted, t.max_concurrency, t.concurrency_policy,
    coalesce(${misremembers}, false) AS remembers_wrong`;
const tells = `(s.active_runs > 0 OR s.queued_runs > 0 OR ${misremembers})`;

export const TELLING_STATES: Statement = {
  postgresql: `SELECT ${telling} FROM task_states s LEFT JOIN task_runs r ON r.id = s.last_ended_run_id
    JOIN tasks t ON t.id = s.task_id WHERE s.task_id > $1 AND s.task_id <= $2 AND ${tells}`,
  mysql: `SELECT STRAIGHT_JOIN ${telling} FROM task_states s
    LEFT JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = s.last_ended_run_id
    JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = s.task_id WHERE s.task_id > ? AND s.task_id <= ? AND ${tells}`,
};

/** Tasks without a state. in: as above */
const stateless = 'SELECT t.id FROM tasks t LEFT JOIN task_states s ON s.task_id = t.id';

export const STATELESS_TASKS: Statement = {
  postgresql: `${stateless} WHERE t.id > $1 AND t.id <= $2 AND s.task_id IS NULL`,
  mysql: `${stateless} WHERE t.id > ? AND t.id <= ? AND s.task_id IS NULL`,
};
