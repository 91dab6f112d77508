import type { NewKey } from '#database';
import { EVERY_TENANT, Forbidden, hasRole, InvalidInput, isTenantName, TENANT_RULE } from '#domain';
import type { Access } from '../access/access.js';
import type { CreateKeyRequest } from './create-key.request.js';

/** The key that is asked for, if whoever asks may have it: never with more rights than their own. Throws InvalidInput, Forbidden. */
export function keyOrder(body: CreateKeyRequest, access: Access, now: number): Omit<NewKey, 'prefix' | 'hash'> {
  const tenantId = tenantOfKey(body.tenant, access);
  if (!hasRole(access.role, body.role))
    throw new Forbidden(`a key with the role ${access.role} cannot make one with ${body.role}`);
  const expiresAt = body.expires_at ? new Date(body.expires_at) : null;
  if (expiresAt !== null && expiresAt.getTime() <= now) throw refused('expires_at', 'must be in the future');
  return { tenantId, name: body.name, role: body.role, createdBy: access.by, expiresAt };
}

function tenantOfKey(asked: string | null | undefined, { tenantId, isRoot }: Access): string {
  const tenant = asked ?? tenantId;
  if (tenant !== EVERY_TENANT && !isTenantName(tenant)) throw refused('tenant', TENANT_RULE);
  if (tenant !== tenantId && !isRoot)
    throw new Forbidden(`keys of tenant ${tenant} are not yours to make: yours is ${tenantId}`);
  return tenant;
}

const refused = (field: string, message: string) => new InvalidInput([{ field, message }]);
