import { type ApiKey, createKey, type Database, inTransaction, Sql, writeAudit } from '#database';
import { newApiKey, newTraceId } from '#pipeline';
import type { KeyWish } from './arguments.js';

/** How it stands in the audit log, and in the key itself: whoever could do this has the database in their hands. */
const BY = 'keys:create';

/** The key's row, and its text, which is nowhere else. `now` is epoch milliseconds. */
export async function makeKey(database: Database, wish: KeyWish, now: number): Promise<{ key: ApiKey; text: string }> {
  const { name, role, tenantId, lifeMs } = wish;
  const { text, prefix, hash } = newApiKey();
  const expiresAt = lifeMs === null ? null : new Date(now + lifeMs);
  const order = { tenantId, name, role, prefix, hash, createdBy: BY, expiresAt };
  const key = await inTransaction(database, async (session) => {
    const made = await createKey(session, order, new Date(now));
    const after = { name, role, tenant: tenantId, prefix: `pk_${prefix}`, expires_at: expiresAt };
    const what = { action: 'api_key.create', entity: 'api_key', entityId: String(made.id), before: null, after };
    const who = { tenantId, keyId: null, by: BY, address: null, traceId: newTraceId(), at: now };
    await writeAudit(Sql.on(database, session), [{ ...what, ...who }]);
    return made;
  });
  return { key, text };
}
