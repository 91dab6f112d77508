import { WRITE_AUDIT } from '../sql/audit-log.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

/** What somebody did. Nothing in it is a secret any more. */
export interface AuditNote {
  tenantId: string;
  /** Epoch milliseconds. */
  at: number;
  keyId: bigint | null;
  by: string | null;
  address: string | null;
  action: string;
  entity: string;
  entityId: string;
  before: unknown;
  after: unknown;
  traceId: string;
}

/** In the transaction of what they tell of, where there is one. */
export async function writeAudit(sql: Sql, notes: readonly AuditNote[]): Promise<void> {
  if (notes.length > 0) await sql.run(WRITE_AUDIT, JSON.stringify(notes.map(toRow)));
}

/** Without what is null. */
const toRow = (note: AuditNote) => ({
  tenant_id: note.tenantId,
  at: sqlTime(note.at),
  key_id: note.keyId === null ? undefined : String(note.keyId),
  by: note.by ?? undefined,
  address: note.address ?? undefined,
  action: note.action,
  entity: note.entity,
  entity_id: note.entityId,
  before: note.before ?? undefined,
  after: note.after ?? undefined,
  trace_id: note.traceId,
});
