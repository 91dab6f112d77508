import type { Statement } from '../sql.js';

/** Notices that nobody has sent in time, the oldest first. in: due before this, most rows; locks: none */
export const OVERDUE_NOTICES: Statement = {
  postgresql: 'SELECT id, attempts, url FROM outbox WHERE next_attempt_at <= $1 ORDER BY next_attempt_at LIMIT $2',
  mysql: 'SELECT id, attempts, url FROM outbox WHERE next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?',
};

/** How many wait to be delivered, at most as many as asked for, and since when the oldest of them. in: most rows */
export const OUTBOX_BACKLOG: Statement = {
  postgresql: `SELECT count(*)::int AS pending, min(created_at) AS oldest
    FROM (SELECT created_at FROM outbox WHERE next_attempt_at IS NOT NULL LIMIT $1) AS waiting`,
  mysql: `SELECT CAST(count(*) AS SIGNED) AS pending, min(created_at) AS oldest
    FROM (SELECT created_at FROM outbox WHERE next_attempt_at IS NOT NULL LIMIT ?) AS waiting`,
};
