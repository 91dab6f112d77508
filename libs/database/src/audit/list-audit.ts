import type { Database } from '../client.js';
import type { AuditEntry } from '../generated/postgresql/client.js';
import { leading } from '../keyset.js';

export interface AuditListing {
  /** Absent: of all tenants. */
  tenantId: string | undefined;
  by?: string;
  action?: string;
  entity?: string;
  entityId?: string;
  from?: Date;
  to?: Date;
  before?: bigint;
  limit: number;
}

/** Newest first, along an index of the tenant's for each of the filters. */
export function listAudit(database: Database, listing: AuditListing): Promise<AuditEntry[]> {
  const { tenantId, by, action, entity, entityId, from, to, before, limit: take } = listing;
  const where = { by, action, entity, entityId, at: { gte: from, lte: to }, id: { lt: before } };
  const { auditEntry } = database.client;
  if (tenantId === undefined) return auditEntry.findMany({ where, orderBy: { id: 'desc' }, take });
  const own = { ...where, tenantId: leading(database, tenantId) };
  return auditEntry.findMany({ where: own, orderBy: [{ tenantId: 'desc' }, { id: 'desc' }], take });
}
