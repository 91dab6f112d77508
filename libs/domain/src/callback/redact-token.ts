import { REDACTED } from '../http/redact-headers.js';
import type { CallOutcome } from '../settle/call-outcome.js';

/** The least a text that was cut off must have of the token at its end to be taken for it. */
const TELLING = 6;

/**
 * A text without the token. Its letters are those a URL, a header and a JSON text write as they are, so it looks the same
 * everywhere; only where a text was cut off may there be the beginning of it.
 */
export function redactToken(text: string, token: string): string {
  const clean = text.replaceAll(token, REDACTED);
  for (let length = Math.min(token.length - 1, clean.length); length >= TELLING; length--) {
    if (clean.endsWith(token.slice(0, length))) return clean.slice(0, -length) + REDACTED;
  }
  return clean;
}

/** Any JSON without the token, in keys as in values. */
export function redactTokenIn<Value>(value: Value, token: string): Value {
  const text = JSON.stringify(value);
  return text?.includes(token) ? (JSON.parse(text.replaceAll(token, REDACTED)) as Value) : value;
}

interface Sent {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export function redactCall<Call extends Sent>(call: Call, token: string): Call {
  const body = call.body === undefined ? undefined : redactToken(call.body, token);
  return { ...call, url: redactToken(call.url, token), headers: redactTokenIn(call.headers, token), body };
}

/** A target may send back what it was sent. `decode` reads base64. */
export function redactOutcome(outcome: CallOutcome, token: string, decode: (text: string) => string): CallOutcome {
  if (outcome.kind === 'error') return { ...outcome, message: redactToken(outcome.message, token) };
  if (outcome.kind !== 'response') return outcome;
  const headers = redactTokenIn(outcome.headers, token);
  if (outcome.bodyEncoding === 'text') return { ...outcome, headers, body: redactToken(outcome.body, token) };
  const decoded = decode(outcome.body);
  if (redactToken(decoded, token) === decoded) return { ...outcome, headers };
  return { ...outcome, headers, body: REDACTED, bodyEncoding: 'text' };
}
