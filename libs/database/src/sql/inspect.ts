import type { Statement } from '../sql.js';

/** What kind of server it is. out: one row, {version} */
export const SERVER_VERSION: Statement = {
  postgresql: "SELECT 'PostgreSQL ' || current_setting('server_version') AS version",
  mysql: "SELECT CONCAT(IF(VERSION() LIKE '%MariaDB%', 'MariaDB ', 'MySQL '), VERSION()) AS version",
};

/** Every index of our tables. out: {name, valid}; one that could not be built to its end is there, but not valid */
export const INDEXES: Statement = {
  postgresql: `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()`,
  mysql:
    'SELECT DISTINCT INDEX_NAME AS name, 1 AS valid FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()',
};
