import type { Statement } from '../sql.js';

const columns = `id, tenant_id, run_id, task_id, kind, url, method, run_status, run_attempt, http_status, error_code, error_info, ended_at,
  next_attempt_at, created_at, signed`;
const values = `n.id, n.tenant_id, n.run_id, n.task_id, n.kind, n.url, n.method, n.run_status, n.run_attempt, n.http_status,
  n.error_code, n.error_info, n.at, n.at, n.at, COALESCE(n.signed, FALSE)`;
const fields = `id varchar(40), tenant_id varchar(64), run_id varchar(64), task_id bigint, kind varchar(8), url varchar(2048),
  method varchar(8), run_status varchar(24), run_attempt int, http_status smallint, error_code varchar(64), error_info text,
  at timestamp, signed boolean`;

/** The same as INSERT_NOTICES on PostgreSQL, to stand in a larger statement. in: the parameter with the JSON array */
export const insertNotices = (parameter: string, joined = ''): string =>
  `INSERT INTO outbox (${columns}) SELECT ${values} FROM json_to_recordset(${parameter}::json) AS n(${fields}) ${joined}`;

/**
 * Writes what teams are to be told, due at once. In the transaction that ends their runs.
 * in: JSON array of {id, tenant_id, run_id, task_id, kind, url, method, run_status, run_attempt, http_status, error_code,
 *   error_info, at, signed}; what is null or false may be left out
 */
export const INSERT_NOTICES: Statement = {
  postgresql: insertNotices('$1'),
  mysql: `INSERT INTO outbox (${columns}) SELECT ${values} FROM JSON_TABLE(?, '$[*]' COLUMNS (id varchar(40) PATH '$.id',
    tenant_id varchar(64) PATH '$.tenant_id', run_id varchar(64) PATH '$.run_id', task_id bigint PATH '$.task_id',
    kind varchar(8) PATH '$.kind', url varchar(2048) PATH '$.url', method varchar(8) PATH '$.method',
    run_status varchar(24) PATH '$.run_status', run_attempt int PATH '$.run_attempt', http_status smallint PATH '$.http_status',
    error_code varchar(64) PATH '$.error_code', error_info text PATH '$.error_info', at datetime(3) PATH '$.at',
    signed tinyint PATH '$.signed')) AS n`,
};

/** Where the notices of tasks go. in: JSON array of task ids */
export const NOTIFY_OF_TASKS: Statement = {
  postgresql: `SELECT id, tenant_id, notify FROM tasks WHERE id IN (SELECT value::bigint FROM json_array_elements_text($1::json))`,
  mysql: `SELECT t.id, t.tenant_id, t.notify FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = v.id`,
};
