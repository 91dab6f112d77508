import type { Statement } from '../sql.js';

/**
 * Writes audit entries, any number of them.
 * in: JSON array of objects with the columns below; times as 'YYYY-MM-DD HH:MM:SS.mmm' in UTC
 */
const COLUMNS = {
  tenant_id: 'varchar(64)',
  at: 'time',
  key_id: 'bigint',
  by: 'varchar(128)',
  address: 'varchar(64)',
  action: 'varchar(32)',
  entity: 'varchar(16)',
  entity_id: 'varchar(64)',
  before: 'json',
  after: 'json',
  trace_id: 'varchar(32)',
};

const names = Object.keys(COLUMNS);
const quoted = (mark: string) => names.map((name) => `${mark}${name}${mark}`).join(', ');
const typed = (types: Record<string, string>, shape: (name: string, type: string) => string) =>
  Object.entries(COLUMNS)
    .map(([name, kind]) => shape(name, types[kind] ?? kind))
    .join(', ');

const postgresColumns = typed({ time: 'timestamp', json: 'jsonb' }, (name, type) => `"${name}" ${type}`);
const mySqlColumns = typed({ time: 'datetime(3)' }, (name, type) => `\`${name}\` ${type} PATH '$.${name}'`);

export const WRITE_AUDIT: Statement = {
  postgresql: `INSERT INTO audit_log (${quoted('"')}) SELECT ${quoted('"')} FROM json_to_recordset($1::json) AS v(${postgresColumns})`,
  mysql: `INSERT INTO audit_log (${quoted('`')}) SELECT ${quoted('`')} FROM JSON_TABLE(?, '$[*]' COLUMNS (${mySqlColumns})) AS v`,
};
