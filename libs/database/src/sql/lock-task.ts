import type { Statement } from '../sql.js';
import { TASK_FACTS } from './task-facts.js';

/**
 * Locks one live task, to admit a run on demand.
 * in: task id, tenant
 * locks: its state; and its definition, so that after waiting for a delete PostgreSQL reads it anew
 */
export const LOCK_TASK: Statement = {
  postgresql: `SELECT ${TASK_FACTS} WHERE s.task_id = $1 AND t.tenant_id = $2 AND NOT t.deleted FOR UPDATE OF s FOR SHARE OF t`,
  mysql: `SELECT ${TASK_FACTS} WHERE s.task_id = ? AND t.tenant_id = ? AND NOT t.deleted FOR UPDATE`,
};
