import { HOSTILE, HOSTILE_HEADERS, HOSTILE_KEYS, HOSTILE_SEGMENTS, mutate, spoil } from './hostile.js';
import type { OpenApi, Operation, Parameter } from './open-api.js';
import type { Random } from './random.js';
import { Values } from './values.js';

export interface FuzzRequest {
  operation: string;
  method: string;
  /** Path and query, as they go out. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** What answers have named. */
export interface Known {
  ids: readonly string[];
  /** Of runs that agents have claimed: run id to `exec_id`. */
  executions: ReadonlyMap<string, string>;
}

/** One request for an operation: about a third as the document has it, the others wrong somewhere. */
export function fuzzRequest(
  document: OpenApi,
  operation: Operation,
  random: Random,
  { ids, executions }: Known,
): FuzzRequest {
  const values = new Values(document, random, ids);
  const isHostile = random.chance(0.6);
  const headers: Record<string, string> = {};
  for (let i = isHostile ? random.below(3) : 0; i > 0; i--) {
    const [name, value] = random.one(HOSTILE_HEADERS);
    headers[name] = value;
  }
  const path = pathOf(operation, random, ids, isHostile);
  const execution = executions.get(path.split('/').at(-2) ?? '');
  const body = bodyOf(operation, values, random, isHostile, execution);
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  return {
    operation: `${operation.method} ${operation.path}`,
    method: operation.method,
    path: path + queryOf(operation.parameters, values, random, isHostile),
    headers,
    body,
  };
}

function pathOf({ path }: Operation, random: Random, ids: readonly string[], isHostile: boolean): string {
  return path.replace(/\{[^}]*\}/g, () => {
    const known = ids.length > 0 && !(isHostile && random.chance(0.3));
    return known ? encodeURIComponent(random.one(fitting(path, ids))) : random.one(HOSTILE_SEGMENTS);
  });
}

const SHAPES = [
  [/\/deliveries\//, /^msg_/],
  [/\/(runs|callbacks)\/\{/, /^\d+-/],
  [/\/nodes\//, /^[^\d].*-/],
  [/./, /^\d+$/],
] as const;

/** Ids show what they are of. */
function fitting(path: string, ids: readonly string[]): readonly string[] {
  const [, shape] = SHAPES.find(([part]) => part.test(path))!;
  const found = ids.filter((id) => shape.test(id));
  return found.length > 0 ? found : ids;
}

function queryOf(parameters: Parameter[], values: Values, random: Random, isHostile: boolean): string {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required || random.chance(0.3)))
    .map(({ name, schema }) => [
      name,
      isHostile && random.chance(0.5) ? random.one(HOSTILE) : values.of(schema ?? {}, name),
    ]);
  if (isHostile && random.chance(0.2)) pairs.push([random.one(HOSTILE_KEYS), random.one(HOSTILE)]);
  const text = pairs.map(([name, value]) => `${written(name)}=${written(value)}`).join('&');
  return text === '' ? '' : `?${text.slice(0, 9_000)}`;
}

const written = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return encodeURIComponent(text.slice(0, 3_000).toWellFormed());
};

function bodyOf(
  { method, body }: Operation,
  values: Values,
  random: Random,
  isHostile: boolean,
  execution: string | undefined,
): string | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (body === null) return isHostile && random.chance(0.3) ? spoil('{}', random) : undefined;
  let value = values.of(body);
  for (let i = isHostile ? random.below(4) : 0; i > 0; i--) value = mutate(value, random);
  if (execution !== undefined && !isHostile) value = { ...(value as object), exec_id: execution };
  const text = JSON.stringify(patient(value)) ?? '';
  return isHostile && random.chance(0.15) ? spoil(text, random) : text;
}

/** Whoever asks to wait is made to wait: that is no hang. */
function patient(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('wait_seconds' in value)) return value;
  const { wait_seconds } = value;
  return typeof wait_seconds === 'number' && wait_seconds > 1 && wait_seconds <= 60
    ? { ...value, wait_seconds: 0 }
    : value;
}

/** As a person would send it again. */
export function asCurl(base: string, { method, path, headers, body }: FuzzRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data =
    body === undefined ? [] : ['--data-binary', quoted(body.length > 2_000 ? `${body.slice(0, 2_000)}…` : body)];
  return ['curl', '-i', '-X', method, ...named, ...data, quoted(base + path)].join(' ');
}
