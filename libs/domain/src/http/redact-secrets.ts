import { redactToken } from '../callback/redact-token.js';
import type { CallOutcome } from '../settle/call-outcome.js';
import { REDACTED } from './redact-headers.js';

interface Sent {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** Shorter, or nothing but letters, it could stand in any reply by chance, and its removal would only spoil that. */
const [SHORTEST, SHORTEST_WORD] = [8, 16];

/**
 * A call and what came of it without the values of these headers: neither in the headers themselves, nor wherever the target
 * sent them back. `decode` reads base64.
 */
export function redactSecrets<Call extends Sent>(
  { call, outcome }: { call: Call; outcome: CallOutcome },
  names: readonly string[],
  decode: (text: string) => string,
): { call: Call; outcome: CallOutcome } {
  const forms = names.flatMap((name) => tellingForms(call.headers[name] ?? ''));
  const clean = (text: string) => forms.reduce(redactToken, text);
  const headers = cleanValues(call.headers, clean);
  for (const name of names) headers[name] = REDACTED;
  const body = call.body === undefined ? undefined : clean(call.body);
  return { call: { ...call, url: clean(call.url), headers, body }, outcome: cleanOutcome(outcome, clean, decode) };
}

/** The value, what stands behind its scheme (`Bearer …`), and both as a JSON text would write them. */
export function tellingForms(value: string): string[] {
  const credentials = /^[\w-]+ +(\S.*)$/.exec(value)?.[1] ?? value;
  const forms = [value, credentials].filter(isTelling).flatMap((text) => [JSON.stringify(text).slice(1, -1), text]);
  return [...new Set(forms)];
}

const isTelling = (text: string): boolean =>
  text.length >= SHORTEST && (text.length >= SHORTEST_WORD || /[^A-Za-z]/.test(text));

type Clean = (text: string) => string;

function cleanOutcome(outcome: CallOutcome, clean: Clean, decode: Clean): CallOutcome {
  if (outcome.kind === 'error') return { ...outcome, message: clean(outcome.message) };
  if (outcome.kind !== 'response') return outcome;
  const headers = cleanValues(outcome.headers, clean);
  if (outcome.bodyEncoding === 'text') return { ...outcome, headers, body: clean(outcome.body) };
  const decoded = decode(outcome.body);
  if (clean(decoded) === decoded) return { ...outcome, headers };
  return { ...outcome, headers, body: REDACTED, bodyEncoding: 'text' };
}

function cleanValues<Value extends string | string[]>(headers: Record<string, Value>, clean: Clean) {
  const cleaned = (value: Value) => (Array.isArray(value) ? value.map(clean) : clean(value)) as Value;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, cleaned(value)]));
}
