/** What a template may say between `{{` and `}}`; the last entry stands for any path into the payload. */
export const TEMPLATE_VARIABLES = [
  'run_id',
  'task_id',
  'task_name',
  'scheduled_time',
  'attempt',
  'callback_url',
  'callback_token',
  'payload',
  'payload.a.b',
] as const;

export interface TemplateValues {
  run_id: string;
  task_id: string;
  task_name: string;
  scheduled_time: string;
  attempt: number;
  callback_url?: string;
  callback_token?: string;
  payload?: unknown;
}

export class TemplateError extends Error {
  constructor(
    readonly variable: string,
    message: string,
  ) {
    super(message);
    this.name = 'TemplateError';
  }
}

const NAMES: ReadonlySet<string> = new Set(TEMPLATE_VARIABLES);
const PAYLOAD_PATH = /^payload(\.[^.\s{}]+)+$/;

/** The path that leads to a variable's value: `['attempt']`, `['payload', 'a', 'b']`. */
export function variablePath(name: string): string[] {
  if (PAYLOAD_PATH.test(name)) return name.split('.');
  if (NAMES.has(name)) return [name];
  const allowed = TEMPLATE_VARIABLES.map((known) => `{{${known}}}`).join(', ');
  throw new TemplateError(name, `unknown template variable {{${name}}}; allowed are ${allowed}`);
}

/** Own properties only, so that a path cannot walk into a prototype; whatever is not there is undefined. */
export function valueAt(values: TemplateValues, path: readonly string[]): unknown {
  let value: unknown = values;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
