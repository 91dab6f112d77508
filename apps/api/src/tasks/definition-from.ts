import { type Deployment, InvalidInput, TASK_DEFAULTS, type TaskDefinition, taskProblems } from '#domain';
import type { TaskFields } from './fields/task-fields.js';

type Named = TaskFields & { name?: string };

/** What a request says, over what is there already; `null` brings back the default. Checked as a whole. */
export function definitionFrom(request: Named, base: TaskDefinition, deployment: Deployment): TaskDefinition {
  const fields = Object.keys(TASK_DEFAULTS) as (keyof typeof TASK_DEFAULTS)[];
  const entries = fields.map((field) => [field, valueOf(request, field, base)]);
  const task = { ...Object.fromEntries(entries), name: request.name ?? base.name } as TaskDefinition;
  const problems = taskProblems(task, deployment);
  if (problems.length > 0) throw new InvalidInput(problems);
  return task;
}

export const emptyTask = (name: string): TaskDefinition => ({ ...TASK_DEFAULTS, name });

type Field = keyof typeof TASK_DEFAULTS;

function valueOf(request: Named, field: Field, base: TaskDefinition): unknown {
  const given = (request as Record<string, unknown>)[wireName(field)];
  if (given === undefined) return base[field];
  // The one field whose clearing the rules must see: ASYNC does not go without it.
  if (given === null) return field === 'callbackTimeoutSec' ? null : TASK_DEFAULTS[field];
  return field === 'startAt' || field === 'endAt' ? new Date(given as string) : plain(given);
}

/** `headersJson` is `headers_json` outside; only the schedule has two names. */
export function wireName(field: keyof TaskDefinition): string {
  return field === 'cronSource' ? 'cron_expr' : field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Request classes become plain objects, without what was left out or null. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, plain(inner)]));
}
