export const KEY_STATES = ['active', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** `now` is epoch milliseconds. */
export function keyState(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  now: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= now ? 'expired' : 'active';
}
