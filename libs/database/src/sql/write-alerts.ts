import type { Statement } from '../sql.js';

const columns = `id, tenant_id, run_id, task_id, kind, url, alert, alert_count, run_status, run_attempt, http_status, error_code, error_info,
  ended_at, next_attempt_at, created_at`;
const values = `n.id, n.tenant_id, n.run_id, n.task_id, 'alert', '', n.alert, n.count, n.run_status, n.run_attempt, n.http_status,
  n.error_code, n.error_info, n.at, n.due_at, n.at`;

/**
 * Writes alerts; one that is there already only counts, whether it has been sent or not.
 * in: JSON array of {id, tenant_id, run_id, task_id, alert, count, run_status, run_attempt, http_status, error_code, error_info,
 *   at, due_at}, ascending by id, each id once
 * locks: the rows that are there, in that order; after tasks and runs
 */
export const WRITE_ALERTS: Statement = {
  postgresql: `INSERT INTO outbox (${columns}) SELECT ${values} FROM json_to_recordset($1::json) AS n(id varchar(40),
      tenant_id varchar(64), run_id varchar(64), task_id bigint, alert varchar(16), count int, run_status varchar(24),
      run_attempt int, http_status smallint, error_code varchar(64), error_info text, at timestamp, due_at timestamp)
    ON CONFLICT (id) DO UPDATE SET alert_count = outbox.alert_count + excluded.alert_count`,
  mysql: `INSERT INTO outbox (${columns}) SELECT ${values} FROM JSON_TABLE(?, '$[*]' COLUMNS (id varchar(40) PATH '$.id',
      tenant_id varchar(64) PATH '$.tenant_id', run_id varchar(64) PATH '$.run_id', task_id bigint PATH '$.task_id',
      alert varchar(16) PATH '$.alert', count int PATH '$.count', run_status varchar(24) PATH '$.run_status',
      run_attempt int PATH '$.run_attempt', http_status smallint PATH '$.http_status', error_code varchar(64) PATH '$.error_code',
      error_info text PATH '$.error_info', at datetime(3) PATH '$.at', due_at datetime(3) PATH '$.due_at')) AS n
    ON DUPLICATE KEY UPDATE alert_count = outbox.alert_count + VALUES(alert_count)`,
};
