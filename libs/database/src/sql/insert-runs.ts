import type { Statement } from '../sql.js';

/**
 * Writes run rows, any number in one statement.
 * in: JSON array of objects with the columns below; times as 'YYYY-MM-DD HH:MM:SS.mmm' in UTC
 * out: nothing; a second that already has its run is a duplicate key, and the transaction is the caller's to run again
 */
export const RUN_COLUMNS = {
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
  queued_at: 'time',
  finished_at: 'time',
  wake_at: 'time',
  max_attempts: 'int',
  tick_attempt: 'int',
  attempt_timeout_seconds: 'int',
  payload: 'json',
  trace_id: 'varchar(32)',
} as const;

const names = Object.keys(RUN_COLUMNS);
const quoted = (mark: string) => names.map((name) => `${mark}${name}${mark}`).join(', ');
const postgresType = (kind: string) => ({ time: 'timestamp', json: 'jsonb' })[kind] ?? kind;
const mySqlColumn = ([name, kind]: [string, string]) =>
  `\`${name}\` ${({ time: 'datetime(3)', json: 'json' } as Record<string, string>)[kind] ?? kind} PATH '$.${name}'`;

export const INSERT_RUNS: Statement = {
  postgresql: `INSERT INTO task_runs (${quoted('"')})
    SELECT ${quoted('"')} FROM json_to_recordset($1::json)
      AS r(${Object.entries(RUN_COLUMNS)
        .map(([name, kind]) => `"${name}" ${postgresType(kind)}`)
        .join(', ')})`,
  mysql: `INSERT INTO task_runs (${quoted('`')})
    SELECT ${quoted('`')} FROM JSON_TABLE(?, '$[*]' COLUMNS (${Object.entries(RUN_COLUMNS).map(mySqlColumn).join(', ')})) AS r`,
};
