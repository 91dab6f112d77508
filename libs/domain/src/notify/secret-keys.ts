/** A secret key as it is stored: sealed, and for one that was replaced, until when it still signs (ISO-8601). */
export interface SealedKey {
  key: string;
  until?: string;
}

/** How long a replaced key signs beside its successor, so that receivers can change over. */
export const ROTATION_MS = 24 * 60 * 60 * 1000;

/** The new key first; the one it replaces stays for a day, any older one goes. */
export function rotated(keys: readonly SealedKey[], key: string, now: number): SealedKey[] {
  const [current] = keys;
  if (current === undefined) return [{ key }];
  return [{ key }, { key: current.key, until: new Date(now + ROTATION_MS).toISOString() }];
}

/** The keys that sign now, newest first. */
export function liveKeys(keys: readonly SealedKey[], now: number): string[] {
  return keys.filter(({ until }) => until === undefined || Date.parse(until) > now).map(({ key }) => key);
}
