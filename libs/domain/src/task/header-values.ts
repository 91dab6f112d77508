import { isSecretHeader } from '../http/redact-headers.js';
import type { FieldProblem } from './errors.js';

/**
 * What a task sends in a header. On its way in a value may be marked secret, or (`true`) stand for the one that is stored;
 * what is stored of a secret is sealed.
 */
export type HeaderValue = string | { secret: string | true } | { sealed: string };
export type HeaderValues = Record<string, HeaderValue>;

/** Marked by whoever wrote it, or by its name: what is masked in the record of a call is a secret here as well. */
export const isSecretValue = (name: string, value: HeaderValue): boolean =>
  typeof value !== 'string' || isSecretHeader(name);

/** As the outside sees them. What is shown for a secret may be sent back, and means the one that is stored. */
export function shownHeaders(headers: HeaderValues | null): HeaderValues | null {
  return headers && mapHeaders(headers, (name, value) => (isSecretValue(name, value) ? { secret: true } : value));
}

/** A secret cannot be read back, so `{"secret": true}` keeps the stored one. Names of headers know no case. */
export function keepSecretHeaders(stored: HeaderValues | null, given: HeaderValues): HeaderValues {
  const before = new Map(Object.entries(stored ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return mapHeaders(given, (name, value) => (isMask(value) ? (before.get(name.toLowerCase()) ?? value) : value));
}

interface Sending {
  targetUrl: string | null;
  headersJson: HeaderValues | null;
}

/**
 * Whoever may change a task must not be able to read its secrets by having them sent to a host of their own: with another
 * host they have to be given again. `given` is what the request itself says about headers.
 */
export function movedSecrets(before: Sending, after: Sending, given: HeaderValues | null | undefined): FieldProblem[] {
  if (originOf(before.targetUrl) === originOf(after.targetUrl)) return [];
  return Object.entries(after.headersJson ?? {})
    .filter(([name, value]) => isSecretValue(name, value) && !isNews(given?.[name]))
    .map(([name]) => ({ field: `headers_json.${name.slice(0, 64)}`, message: MOVED }));
}

const MOVED = 'is secret and must be given again, since target_url now goes to another host';

export function mapHeaders<Value>(
  headers: HeaderValues,
  change: (name: string, value: HeaderValue) => Value,
): Record<string, Value> {
  // fromEntries defines its properties, so that a header named __proto__ stays a header
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(name, value)]));
}

const isMask = (value: HeaderValue): boolean => typeof value === 'object' && 'secret' in value && value.secret === true;
const isNews = (value: HeaderValue | undefined): boolean => value !== undefined && !isMask(value);

function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null;
}
