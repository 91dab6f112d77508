import type { Statement } from '../sql.js';

/**
 * Deletes idempotency keys whose time is over, oldest first.
 * in: now, how many
 * locks: the rows; on PostgreSQL skipping those that a request is just taking over
 */
export const DELETE_EXPIRED_KEYS: Statement = {
  postgresql: `DELETE FROM idempotency_keys WHERE (tenant_id, key) IN (SELECT tenant_id, key FROM idempotency_keys
    WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  mysql: 'DELETE FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
};
