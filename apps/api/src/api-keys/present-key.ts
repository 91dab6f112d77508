import type { ApiKey } from '#database';
import { keyState } from '#domain';

export function presentKey(key: ApiKey, now: number) {
  return {
    id: String(key.id),
    tenant: key.tenantId,
    name: key.name,
    role: key.role,
    prefix: `pk_${key.prefix}`,
    state: keyState(key, now),
    created_by: key.createdBy,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
