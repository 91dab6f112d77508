/**
 * FOR UPDATE beside a JSON_TABLE. MySQL tries to lock that as well, and refuses, so it has to be told which tables to lock. MariaDB
 * locks what can be locked, knows no OF, and passes over comments that are for MySQL 5.7 and later.
 */
export const forUpdateOf = (...tables: readonly string[]): string => `FOR UPDATE /*!80001 OF ${tables.join(', ')} */`;
