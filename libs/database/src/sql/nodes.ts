import type { Statement } from '../sql.js';

/** The database's own time, read in the statement: no process' idea of it is part of who counts as alive. */
const NOW = { postgresql: "timezone('UTC', clock_timestamp())", mysql: 'UTC_TIMESTAMP(3)' };

/**
 * A heartbeat: registers the node, or says that it is still there. One that had been forgotten is simply there again.
 * in: id, role, host, pid, version, milliseconds since its start, lease in seconds, capacity, load, whether it has nothing left to finish
 * out (PostgreSQL): whether it is to drain
 */
export const KEEP_NODE: Statement = {
  postgresql: `INSERT INTO nodes AS n (id, role, host, pid, version, started_at, heartbeat_at, lease_seconds, capacity, load)
    VALUES ($1, $2, $3, $4, $5, ${NOW.postgresql} - $6::float8 * interval '1 millisecond', ${NOW.postgresql}, $7, $8, $9)
    ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at, load = excluded.load,
      drained = n.draining_since IS NOT NULL AND $10::boolean
    RETURNING draining_since IS NOT NULL AS draining`,
  mysql: `INSERT INTO nodes (id, role, host, pid, version, started_at, heartbeat_at, lease_seconds, capacity, \`load\`)
    VALUES (?, ?, ?, ?, ?, ${NOW.mysql} - INTERVAL ? * 1000 MICROSECOND, ${NOW.mysql}, ?, ?, ?)
    ON DUPLICATE KEY UPDATE heartbeat_at = VALUES(heartbeat_at), \`load\` = VALUES(\`load\`),
      drained = draining_since IS NOT NULL AND ?`,
};

/** MySQL has no RETURNING. in: id */
export const READ_DRAINING = 'SELECT draining_since IS NOT NULL AS draining FROM nodes WHERE id = ?';

const columns = (mark: string) =>
  `id, role, host, pid, version, started_at, heartbeat_at, lease_seconds, capacity, ${mark}load${mark}, draining_since, drained`;

/** All of them, and for how long each has been silent. in: an id, or NULL for all */
export const LIST_NODES: Statement = {
  postgresql: `SELECT ${columns('"')}, (extract(epoch FROM ${NOW.postgresql} - heartbeat_at) * 1000)::float8 AS silent_ms
    FROM nodes WHERE id = coalesce($1, id) ORDER BY role, host, started_at, id`,
  mysql: `SELECT ${columns('`')}, CAST(TIMESTAMPDIFF(MICROSECOND, heartbeat_at, ${NOW.mysql}) / 1000 AS DOUBLE) AS silent_ms
    FROM nodes WHERE id = coalesce(?, id) ORDER BY role, host, started_at, id`,
};

/** One that drains already has done so since then, and is left alone. in: id; out: the number of rows; locks: the node */
export const DRAIN_NODE: Statement = {
  postgresql: `UPDATE nodes SET draining_since = ${NOW.postgresql} WHERE id = $1 AND draining_since IS NULL`,
  mysql: `UPDATE nodes SET draining_since = ${NOW.mysql} WHERE id = ? AND draining_since IS NULL`,
};

/** in: id; out: the number of rows; locks: the node */
export const UNDRAIN_NODE: Statement = {
  postgresql: 'UPDATE nodes SET draining_since = NULL, drained = false WHERE id = $1 AND draining_since IS NOT NULL',
  mysql: 'UPDATE nodes SET draining_since = NULL, drained = false WHERE id = ? AND draining_since IS NOT NULL',
};

/** in: id */
export const REMOVE_NODE: Statement = {
  postgresql: 'DELETE FROM nodes WHERE id = $1',
  mysql: 'DELETE FROM nodes WHERE id = ?',
};

/** in: milliseconds of silence */
export const FORGET_NODES: Statement = {
  postgresql: `DELETE FROM nodes WHERE heartbeat_at < ${NOW.postgresql} - $1::float8 * interval '1 millisecond'`,
  mysql: `DELETE FROM nodes WHERE heartbeat_at < ${NOW.mysql} - INTERVAL ? * 1000 MICROSECOND`,
};
