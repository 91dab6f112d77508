import type { Statement } from '../sql.js';

/**
 * One process at a time looks after what is old: whoever has the lease. Times are the database's, cut to the milliseconds of the column:
 * PostgreSQL would round them, and what was left just now would be somebody's for another half of one.
 */
const NOW = {
  postgresql: "date_trunc('milliseconds', timezone('UTC', clock_timestamp()))",
  mysql: 'UTC_TIMESTAMP(3)',
};
const later = {
  postgresql: (parameter: string) => `${NOW.postgresql} + ${parameter}::int * interval '1 millisecond'`,
  mysql: `DATE_ADD(${NOW.mysql}, INTERVAL ? * 1000 MICROSECOND)`,
};

/** in: holder, milliseconds, holder again; out: the number of rows, 0: it is somebody else's, or it is too soon */
export const TAKE_RETENTION: Statement = {
  postgresql: `UPDATE retention_lease SET holder = $1, expires_at = ${later.postgresql('$2')}
    WHERE name = 'retention' AND (expires_at <= ${NOW.postgresql} OR holder = $3)`,
  mysql: `UPDATE retention_lease SET holder = ?, expires_at = ${later.mysql}
    WHERE name = 'retention' AND (expires_at <= ${NOW.mysql} OR holder = ?)`,
};

/**
 * The first statement of every batch, in its transaction: until that ends nobody else can take the lease, however long the
 * process stood still before.
 * in: milliseconds, holder; out: the number of rows, 0: the lease is lost
 * locks: the lease
 */
export const RENEW_RETENTION: Statement = {
  postgresql: `UPDATE retention_lease SET expires_at = ${later.postgresql('$1')} WHERE name = 'retention' AND holder = $2`,
  mysql: `UPDATE retention_lease SET expires_at = ${later.mysql} WHERE name = 'retention' AND holder = ?`,
};

/** Nobody has it, and nobody takes it for a while. in: milliseconds, holder */
export const LEAVE_RETENTION: Statement = {
  postgresql: `UPDATE retention_lease SET holder = NULL, expires_at = ${later.postgresql('$1')}
    WHERE name = 'retention' AND holder = $2`,
  mysql: `UPDATE retention_lease SET holder = NULL, expires_at = ${later.mysql} WHERE name = 'retention' AND holder = ?`,
};
