import type { Sql } from '../sql.js';
import type { StoredTask } from './task-row.js';

/** Writes down what is done to a task, in the transaction that does it. Null: the task is gone. */
export type TaskWitness = (sql: Sql, before: StoredTask, after: StoredTask | null) => Promise<void>;
