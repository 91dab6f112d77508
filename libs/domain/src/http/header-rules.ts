/** Written by the client itself, or meaningful to one connection only: a task may not set them. */
const REFUSED = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
]);
const REFUSED_PREFIXES = ['proxy-', 'x-punctual-'];
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const MAX_NAME = 128;
const MAX_VALUE = 8192;

/** What is wrong with a header that a task wants to send, or null. */
export function checkHeader(name: string, value: string): string | null {
  return nameProblem(name) ?? valueProblem(name, value);
}

function nameProblem(name: string): string | null {
  if (!TOKEN.test(name)) return `"${printable(name)}" is not a valid header name`;
  if (name.length > MAX_NAME) return `the header name "${name.slice(0, 32)}…" is longer than ${MAX_NAME} characters`;
  const lower = name.toLowerCase();
  if (REFUSED.has(lower) || REFUSED_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
    return `the header "${name}" is set by the platform and cannot be given`;
  }
  return null;
}

function valueProblem(name: string, value: string): string | null {
  if (value.length > MAX_VALUE) return `the value of header "${name}" is longer than ${MAX_VALUE} characters`;
  if (CONTROL.test(value)) return `the value of header "${name}" contains a line break or another control character`;
  if (/[\u0100-\uffff]/.test(value)) return `the value of header "${name}" contains a character beyond Latin-1`;
  return null;
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 64)).slice(1, -1);
}
