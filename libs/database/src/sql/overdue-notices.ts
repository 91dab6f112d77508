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

/**
 * A page of the notices that wait for their next try, the most urgent first; not those that are being sent.
 * in: next_attempt_at of the last one seen (twice), its id, most rows; locks: none
 */
export const WAITING_NOTICES: Statement = {
  postgresql: `SELECT id, attempts, url, next_attempt_at FROM outbox
    WHERE next_attempt_at >= $1 AND (next_attempt_at > $2 OR id > $3) AND claim_id IS NULL ORDER BY next_attempt_at, id LIMIT $4`,
  mysql: `SELECT id, attempts, url, next_attempt_at FROM outbox
    WHERE next_attempt_at >= ? AND (next_attempt_at > ? OR id > ?) AND claim_id IS NULL ORDER BY next_attempt_at, id LIMIT ?`,
};
