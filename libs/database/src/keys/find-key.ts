import type { Role } from '#domain';
import type { Database } from '../client.js';
import { FIND_API_KEY, NOTE_KEY_USES } from '../sql/api-keys.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';

/** A key as it is checked. */
export interface KnownKey {
  id: bigint;
  tenantId: string;
  name: string;
  role: Role;
  prefix: string;
  hash: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

interface KeyRow {
  id: bigint;
  tenant_id: string;
  name: string;
  role: Role;
  prefix: string;
  hash: string;
  expires_at: Date | null;
  revoked_at: Date | null;
}

export async function findKeyByPrefix(database: Database, prefix: string): Promise<KnownKey | null> {
  const [row] = await Sql.on(database).rows<KeyRow>(FIND_API_KEY, prefix);
  if (row === undefined) return null;
  const { tenant_id: tenantId, expires_at: expiresAt, revoked_at: revokedAt, ...same } = row;
  return { ...same, id: BigInt(row.id), tenantId, expiresAt, revokedAt };
}

/** How long a use need not be noted again. */
export const USES_KEPT_MS = 60_000;

export async function noteKeyUses(database: Database, ids: readonly bigint[], now: number): Promise<void> {
  if (ids.length === 0) return;
  const old = sqlTime(now - USES_KEPT_MS);
  await Sql.on(database).run(NOTE_KEY_USES, sqlTime(now), JSON.stringify(ids.map(String)), old);
}
