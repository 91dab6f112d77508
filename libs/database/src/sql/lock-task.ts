import type { Statement } from '../sql.js';
import { TASK_FACTS } from './task-facts.js';

/**
 * Locks one live task, to admit a run on demand.
 * in: task id, tenant
 */
export const LOCK_TASK: Statement = {
  postgresql: `SELECT ${TASK_FACTS} FROM tasks WHERE id = $1 AND tenant_id = $2 AND NOT deleted FOR UPDATE`,
  mysql: `SELECT ${TASK_FACTS} FROM tasks WHERE id = ? AND tenant_id = ? AND NOT deleted FOR UPDATE`,
};
