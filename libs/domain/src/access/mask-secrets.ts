import { isSecretHeader, REDACTED } from '../http/redact-headers.js';

/** Names that say nothing by themselves, but hold a secret where we use them. */
const OWN = new Set(['sk', 'sealed', 'hash', 'key']);

const isSecretName = (name: string): boolean => OWN.has(name.toLowerCase()) || isSecretHeader(name);

/** Any JSON, for whatever is kept for good: what is named like a secret is masked, and so is what a text says of one. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  const kept = Object.entries(value).map(([name, inner]) => [name, masked(name, inner)]);
  return Object.fromEntries(kept) as unknown;
}

const masked = (name: string, inner: unknown): unknown =>
  inner !== null && inner !== undefined && isSecretName(name) ? REDACTED : maskSecrets(inner);

const USER_INFO = /\/\/[^/\s@"']*@/g;
/** `token=x`, `"password": "x"`, `Authorization: Bearer x`: in a URL, a template or a command. */
const PAIR = /([\w-]+)("?\s*[=:]\s*"?)((?:(?:bearer|basic|token)\s+)?[^\s"'&,;}]+)/gi;

/** A text is no structure: this finds what looks like a secret, and cannot find every one. */
function maskText(text: string): string {
  return maskPairs(text.replace(USER_INFO, `//${REDACTED}@`));
}

/** What stands behind a name may be a pair itself: `x: token=y`. */
function maskPairs(text: string): string {
  return text.replace(PAIR, (_whole, name: string, between: string, value: string) =>
    isSecretHeader(name) ? `${name}${between}${REDACTED}` : `${name}${between}${maskPairs(value)}`,
  );
}
