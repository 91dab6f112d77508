export const REDACTED = '[redacted]';

const SECRET =
  /cookie|authorization|(^|[-_])auth([-_]|$)|token|secret|passw|passphrase|signature|credential|session|(api|access|private)[-_]?key|jwt/i;

export const isSecretHeader = (name: string): boolean => SECRET.test(name);

/** For whatever is kept or logged: header values that are, or by their name might be, credentials are masked. */
export function redactHeaders<V extends string | string[]>(headers: Record<string, V>): Record<string, V | string> {
  const kept: [string, V | string][] = [];
  for (const [name, value] of Object.entries(headers)) kept.push([name, isSecretHeader(name) ? REDACTED : value]);
  // fromEntries defines its properties, so that a header named __proto__ stays a header
  return Object.fromEntries(kept);
}
