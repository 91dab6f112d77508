import { definitionOf, type StoredTask } from '#database';
import { TASK_DEFAULTS, type TaskDefinition } from '#domain';
import { wireName } from '../tasks/definition-from.js';

const FIELDS = ['name', ...Object.keys(TASK_DEFAULTS)] as (keyof TaskDefinition)[];

/** What somebody has said of a task, in the API's words; with its secrets, so that a change of one shows. */
export function auditedTask(task: StoredTask): Record<string, unknown> {
  const definition = definitionOf(task);
  const said = FIELDS.map((field) => [wireName(field), definition[field]]);
  return { ...Object.fromEntries(said), version: task.row.version } as Record<string, unknown>;
}
