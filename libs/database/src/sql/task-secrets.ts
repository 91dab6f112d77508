import type { Statement } from '../sql.js';

/**
 * Tasks that may have secrets, deleted ones included: their last notices may still be waiting.
 * in: the id to go on after, how many; out: in the order of their ids
 */
export const TASKS_WITH_SECRETS: Statement = {
  postgresql: `SELECT id, tenant_id, version, headers_json, notify FROM tasks
    WHERE id > $1 AND (headers_json IS NOT NULL OR notify IS NOT NULL) ORDER BY id LIMIT $2`,
  mysql: `SELECT id, tenant_id, version, headers_json, notify FROM tasks
    WHERE id > ? AND (headers_json IS NOT NULL OR notify IS NOT NULL) ORDER BY id LIMIT ?`,
};

/**
 * Writes secrets that were sealed anew. A task that was changed since it was read keeps what it has; its version stays as it is, since
 * nothing about it has become different for anybody.
 * in: JSON array of {id, version, headers, notify}, the last two as texts of JSON or left out
 * out: the number of tasks written
 * locks: the rows of these tasks
 */
export const WRITE_SECRETS: Statement = {
  postgresql: `UPDATE tasks t SET headers_json = v.headers::jsonb, notify = v.notify::jsonb
    FROM json_to_recordset($1::json) AS v(id bigint, version int, headers text, notify text)
    WHERE t.id = v.id AND t.version = v.version`,
  mysql: `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$.id', version int PATH '$.version',
      headers longtext PATH '$.headers', notify longtext PATH '$.notify')) AS v
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = v.id AND t.version = v.version
    SET t.headers_json = v.headers, t.notify = v.notify`,
};
