import type { Statement } from '../sql.js';

const columns = [
  ...['id', 'tenant_id', 'version', 'name', 'executor', 'exec_type', 'http_method', 'target_url', 'headers_json'],
  ...['body_template', 'command', 'timeout_seconds', 'retry_policy_json', 'log_mode', 'need_manual', 'on_node_lost'],
  ...['callback_timeout_sec', 'heartbeat_timeout_sec', 'notify'],
].map((name) => `t.${name}`);

/**
 * What executing runs needs to know of their tasks. Below Prisma, which took a worker four times as long to read them: where each
 * of ten thousand tasks has one run due, each is read once for it.
 * in: JSON array of ids
 */
export const READ_DEFINITIONS: Statement = {
  postgresql: `SELECT ${columns.join()} FROM tasks t
    WHERE t.id = ANY (ARRAY(SELECT value::bigint FROM json_array_elements_text($1::json)))`,
  mysql: `SELECT ${columns.join()} FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = v.id`,
};
