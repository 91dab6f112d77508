import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';
import { TASK_FACT_COLUMNS, TASK_FACTS } from './task-facts.js';

/**
 * Locks one live task.
 * in: task id, tenant
 * locks: its state; and its definition, so that after waiting for a delete PostgreSQL reads it anew
 */
export const LOCK_TASK: Statement = {
  postgresql: `SELECT ${TASK_FACTS} WHERE s.task_id = $1 AND t.tenant_id = $2 AND NOT t.deleted FOR UPDATE OF s FOR SHARE OF t`,
  mysql: `SELECT ${TASK_FACTS} WHERE s.task_id = ? AND t.tenant_id = ? AND NOT t.deleted FOR UPDATE`,
};

/**
 * Locks live tasks in the order everybody locks them, to admit runs.
 * in: JSON array of ids, ascending: MySQL locks them in the order they are given
 * locks: as above
 */
export const LOCK_LIVE_TASKS: Statement = {
  postgresql: `SELECT ${TASK_FACTS} WHERE s.task_id IN (SELECT value::bigint FROM json_array_elements_text($1::json))
    AND NOT t.deleted ORDER BY s.task_id FOR UPDATE OF s FOR SHARE OF t`,
  mysql: `SELECT ${TASK_FACT_COLUMNS} FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v
    STRAIGHT_JOIN task_states s FORCE INDEX (PRIMARY) ON s.task_id = v.id
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = s.task_id WHERE NOT t.deleted ${forUpdateOf('s', 't')}`,
};

/** Ids of live tasks by their names. in: JSON array of names, tenant; locks: none */
export const TASK_IDS_BY_NAME: Statement = {
  postgresql: `SELECT t.id, t.name FROM json_array_elements_text($1::json) AS v(name)
    JOIN tasks t ON t.live_name = v.name AND t.tenant_id = $2`,
  mysql: `SELECT t.id, t.name
    FROM JSON_TABLE(?, '$[*]' COLUMNS (name varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v
    STRAIGHT_JOIN tasks t FORCE INDEX (tasks_tenant_id_live_name_key) ON t.live_name = v.name AND t.tenant_id = ?`,
};
