import type { FieldProblem } from './errors.js';

/** MariaDB reads JSON of up to 31 levels, and what is stored travels inside of two more. */
export const MAX_DEPTH = 28;
/** Of all objects in one request together: each costs far more memory than the few bytes it is written with. */
export const MAX_KEYS = 20_000;
// eslint-disable-next-line no-control-regex
const UNSTORABLE = /\u0000|\p{Surrogate}/u;

/** Stands for a number that JavaScript cannot hold: a text that nobody can send, since it would not be stored. */
const INEXACT = '\u0000number ';
export const inexactNumber = (literal: string): string => `${INEXACT}${literal.slice(0, 64)}`;

/**
 * The first thing in a JSON value that a database cannot store or a program should not meet: NUL characters, half
 * surrogate pairs, numbers that are not what was sent, `__proto__` keys, nesting without end, keys without number. Goes through a work
 * list, since the nesting is not ours.
 */
export function unstorable(value: unknown): FieldProblem | null {
  let keys = 0;
  const rest: { at: string; value: unknown; depth: number }[] = [{ at: '', value, depth: 0 }];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    const message = problemOf(item.value, item.depth);
    if (message !== null) return { field: item.at || 'body', message };
    if (typeof item.value !== 'object' || item.value === null) continue;
    const entries = Object.entries(item.value);
    if (!Array.isArray(item.value)) keys += entries.length;
    if (keys > MAX_KEYS) return { field: item.at || 'body', message: `has more than ${MAX_KEYS} keys, all in all` };
    for (const [key, inner] of entries) {
      const badKey = key === '__proto__' || UNSTORABLE.test(key) || (key === 'constructor' && hasPrototype(inner));
      // Most of what there is, and not worth a name.
      if (!badKey && typeof inner !== 'object' && problemOf(inner, item.depth + 1) === null) continue;
      const at = Array.isArray(item.value) ? `${item.at}[${key}]` : `${item.at && `${item.at}.`}${shown(key)}`;
      if (badKey) return { field: at, message: 'is not an allowed key' };
      rest.push({ at, value: inner, depth: item.depth + 1 });
    }
  }
  return null;
}

function problemOf(value: unknown, depth: number): string | null {
  if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
  if (typeof value !== 'string' || !UNSTORABLE.test(value)) return null;
  if (value.startsWith(INEXACT))
    return `is a number that would be changed (${value.slice(INEXACT.length)}): send it as a text`;
  return 'contains a NUL character or half a surrogate pair';
}

const hasPrototype = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');

/** Whether JSON in this text can be stored as JSON, as far as its depth goes. Counts what opens, which is more than enough. */
export function isShallow(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

const [OPEN_BRACE, OPEN_BRACKET, CLOSE_BRACE, CLOSE_BRACKET] = [...'{[}]'].map((sign) => sign.charCodeAt(0));

/** A key may be of any length and content, an error message should not. */
function shown(key: string): string {
  return JSON.stringify(key.slice(0, 64)).slice(1, -1);
}
