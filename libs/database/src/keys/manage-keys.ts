import { NotFound, type Role } from '#domain';
import type { Database, Session } from '../client.js';
import type { ApiKey } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';

export interface NewKey {
  tenantId: string;
  name: string;
  role: Role;
  prefix: string;
  hash: string;
  createdBy: string | null;
  expiresAt: Date | null;
}

export function createKey(session: Session, key: NewKey, now: Date): Promise<ApiKey> {
  return session.apiKey.create({ data: { ...key, createdAt: now } });
}

/** Newest first. Without a tenant: of all. */
export function listKeys(
  database: Database,
  { tenantId, before, limit }: { tenantId: string | undefined; before?: bigint; limit: number },
): Promise<ApiKey[]> {
  const id = { lt: before };
  const { apiKey } = database.client;
  if (tenantId === undefined) return apiKey.findMany({ where: { id }, orderBy: { id: 'desc' }, take: limit });
  const where = { tenantId: leading(database, tenantId), id };
  return apiKey.findMany({ where, orderBy: [{ tenantId: 'desc' }, { id: 'desc' }], take: limit });
}

/** Without a tenant: whosever it is. */
export async function findKey(session: Session, tenantId: string | undefined, id: bigint): Promise<ApiKey> {
  const key = await session.apiKey.findFirst({ where: { id, tenantId } });
  if (key === null) throw new NotFound('API key', String(id));
  return key;
}

/** For good. False: it was revoked before, and stays as it was. */
export async function revokeKey(session: Session, id: bigint, now: Date): Promise<boolean> {
  const { count } = await session.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } });
  return count > 0;
}
