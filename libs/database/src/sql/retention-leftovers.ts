import type { Statement } from '../sql.js';

/** Deletes backfills that ended long ago, oldest first. in: ended before, how many; locks: the rows */
export const DELETE_BACKFILLS: Statement = {
  postgresql: `DELETE FROM backfills WHERE id IN (SELECT id FROM backfills WHERE finished_at < $1
    ORDER BY finished_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  mysql: 'DELETE FROM backfills WHERE finished_at < ? ORDER BY finished_at, id LIMIT ?',
};

/** A page of a tenant's deleted tasks. in: tenant, after id, how many; locks: none */
export const DELETED_TASKS: Statement = {
  postgresql: 'SELECT id FROM tasks WHERE tenant_id = $1 AND deleted AND id > $2 ORDER BY id LIMIT $3',
  mysql: `SELECT id FROM tasks FORCE INDEX (tasks_tenant_id_deleted_id_idx)
    WHERE tenant_id = ? AND deleted = TRUE AND id > ? ORDER BY id LIMIT ?`,
};

/**
 * Deletes those of the tasks that nothing refers to any more; their states go with them.
 * in: JSON array of task ids, deleted before
 * locks: the rows and their states
 */
const referredTo = ['task_runs', 'run_archive', 'outbox', 'backfills']
  .map((table) => `AND NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.task_id = t.id)`)
  .join(' ');

export const DELETE_TASKS: Statement = {
  postgresql: `DELETE FROM tasks t USING json_array_elements_text($1::json) AS v(id) WHERE t.id = v.id::bigint AND t.deleted
    AND t.updated_at < $2 ${referredTo}`,
  mysql: `DELETE t FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY)
    ON t.id = v.id WHERE t.deleted = TRUE AND t.updated_at < ? ${referredTo}`,
};

/** in: JSON array of task ids */
export const DELETE_TASK_LOGS: Statement = {
  postgresql: `DELETE FROM task_logs l USING json_array_elements_text($1::json) AS v(id) WHERE l.task_id = v.id::bigint
    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = l.task_id)`,
  mysql: `DELETE l FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v STRAIGHT_JOIN task_logs l FORCE INDEX (PRIMARY)
    ON l.task_id = v.id WHERE NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = l.task_id)`,
};
