export const REDACTED = '[redacted]';

const SECRET =
  /cookie|authorization|(^|[-_])auth([-_]|$)|token|secret|passw|passphrase|signature|credential|session|(api|access|private)[-_]?key|jwt/i;

/** A deployment sees the same few names all day long. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 1_000;

export function isSecretHeader(name: string): boolean {
  let isSecret = known.get(name);
  if (isSecret === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(name, (isSecret = SECRET.test(name)));
  }
  return isSecret;
}

/** For whatever is kept or logged: header values that are, or by their name might be, credentials are masked. */
export function redactHeaders<V extends string | string[]>(headers: Record<string, V>): Record<string, V | string> {
  if (!Object.keys(headers).some(isSecretHeader)) return headers;
  const kept: [string, V | string][] = [];
  for (const [name, value] of Object.entries(headers)) kept.push([name, isSecretHeader(name) ? REDACTED : value]);
  // fromEntries defines its properties, so that a header named __proto__ stays a header
  return Object.fromEntries(kept);
}
