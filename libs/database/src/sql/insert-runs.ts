import type { Statement } from '../sql.js';

/**
 * Writes run rows and their alarms, any number of them.
 * in: JSON array of objects with the columns below; times as 'YYYY-MM-DD HH:MM:SS.mmm' in UTC
 * out: nothing; a second that already has its run is a duplicate key, and the transaction is the caller's to run again
 */
const COLUMNS = {
  id: 'varchar(64)',
  tenant_id: 'varchar(64)',
  task_id: 'bigint',
  task_name: 'varchar(128)',
  trigger: 'varchar(16)',
  category: 'varchar(128)',
  creator: 'varchar(128)',
  priority: 'int',
  status: 'varchar(24)',
  skip_reason: 'varchar(16)',
  blocked_by: 'varchar(64)',
  missed_from: 'time',
  missed_count: 'int',
  scheduled_time: 'time',
  start_before: 'time',
  queued_at: 'time',
  finished_at: 'time',
  wake_at: 'time',
  max_attempts: 'int',
  tick_attempt: 'int',
  attempt_timeout_seconds: 'int',
  payload: 'json',
  trace_id: 'varchar(32)',
};

const names = Object.keys(COLUMNS);
const quoted = (mark: string) => names.map((name) => `${mark}${name}${mark}`).join(', ');

const POSTGRES_TYPES: Record<string, string> = { time: 'timestamp', json: 'jsonb' };
const postgresColumns = Object.entries({ ...COLUMNS, alarm_at: 'time' })
  .map(([name, kind]) => `"${name}" ${POSTGRES_TYPES[kind] ?? kind}`)
  .join(', ');

const MYSQL_TYPES: Record<string, string> = { time: 'datetime(3)', json: 'json' };
const mySqlColumns = Object.entries(COLUMNS)
  .map(([name, kind]) => `\`${name}\` ${MYSQL_TYPES[kind] ?? kind} PATH '$.${name}'`)
  .join(', ');

export const INSERT_RUNS: Statement = {
  postgresql: `WITH given AS MATERIALIZED (SELECT * FROM json_to_recordset($1::json) AS r(${postgresColumns})),
    alarms AS (INSERT INTO run_alarms (at, run_id, tenant_id)
      SELECT alarm_at, id, tenant_id FROM given WHERE alarm_at IS NOT NULL ON CONFLICT DO NOTHING)
    INSERT INTO task_runs (${quoted('"')}) SELECT ${quoted('"')} FROM given`,
  mysql: `INSERT INTO task_runs (${quoted('`')})
    SELECT ${quoted('`')} FROM JSON_TABLE(?, '$[*]' COLUMNS (${mySqlColumns})) AS r`,
};
