import type { Statement } from '../sql.js';

/**
 * What a request with a key asks, at most twice a second for each key.
 * in: prefix
 * out: one row or none
 */
const columns = 'id, tenant_id, name, role, prefix, hash, expires_at, revoked_at';

export const FIND_API_KEY: Statement = {
  postgresql: `SELECT ${columns} FROM api_keys WHERE prefix = $1`,
  mysql: `SELECT ${columns} FROM api_keys WHERE prefix = ?`,
};

/**
 * Keeps when keys were last used, unless somebody else has just done so.
 * in: when, JSON array of ids, the latest time that is old enough to be replaced
 */
export const NOTE_KEY_USES: Statement = {
  postgresql: `UPDATE api_keys SET last_used_at = $1::timestamp WHERE id IN (SELECT value::bigint FROM json_array_elements_text($2::json))
    AND (last_used_at IS NULL OR last_used_at <= $3::timestamp)`,
  mysql: `UPDATE api_keys k JOIN (SELECT ? AS at) AS now
    SET k.last_used_at = now.at WHERE k.id IN (SELECT v.id FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v)
    AND (k.last_used_at IS NULL OR k.last_used_at <= ?)`,
};
