import type { Statement } from '../sql.js';

/**
 * The receiver has acknowledged: the notice is DELIVERED, and a run that was only waiting for that is a SUCCESS. Whichever try
 * it was: acknowledged is acknowledged.
 * in: url, method, now, status of the answer, delivery id (PostgreSQL: $1 to $5; MySQL in its own order, see deliver)
 * locks: the notice, then its run; nobody takes them the other way round, since a notice is written once
 */
export const ACKNOWLEDGE_NOTICE: Statement = {
  postgresql: `WITH told AS (UPDATE outbox SET url = $1, method = $2, status = 'DELIVERED', delivered_at = $3, next_attempt_at = NULL,
      claim_id = NULL, last_status = $4, last_error = NULL WHERE id = $5 AND status = 'PENDING' RETURNING run_id, kind)
    UPDATE task_runs r SET status = 'SUCCESS', finished_at = $3 FROM told
    WHERE told.kind = 'success' AND r.id = told.run_id AND r.status = 'COMPLETED'`,
  mysql: `UPDATE outbox o LEFT JOIN task_runs r ON r.id = o.run_id AND o.kind = 'success' AND r.status = 'COMPLETED'
    SET o.url = ?, o.method = ?, o.delivered_at = ?, o.last_status = ?, o.status = 'DELIVERED', o.next_attempt_at = NULL,
      o.claim_id = NULL, o.last_error = NULL, r.finished_at = o.delivered_at, r.status = 'SUCCESS'
    WHERE o.id = ? AND o.status = 'PENDING'`,
};

/**
 * A try has failed: another one is due, or that was the last. Guarded by the claim, so a try that was given up for lost says nothing.
 * in: url, method, status, next_attempt_at or null, attempts to take back, status of the answer or null, error, delivery id,
 *   claim id
 */
export const FAIL_TRY: Statement = {
  postgresql: `UPDATE outbox SET url = $1, method = $2, status = $3, next_attempt_at = $4, attempts = attempts - $5, claim_id = NULL,
      last_status = $6, last_error = $7 WHERE id = $8 AND claim_id = $9 AND status = 'PENDING'`,
  mysql: `UPDATE outbox SET url = ?, method = ?, status = ?, next_attempt_at = ?, attempts = attempts - ?, claim_id = NULL,
      last_status = ?, last_error = ? WHERE id = ? AND claim_id = ? AND status = 'PENDING'`,
};

/**
 * Has a notice sent again, or sooner. One that is being sent right now is left alone.
 * in: now, delivery id, tenant
 */
export const REDELIVER: Statement = {
  postgresql: `UPDATE outbox SET attempts = CASE WHEN status = 'PENDING' THEN attempts ELSE 0 END, status = 'PENDING',
      next_attempt_at = $1, delivered_at = NULL, claim_id = NULL
    WHERE id = $2 AND tenant_id = $3 AND (status <> 'PENDING' OR claim_id IS NULL)`,
  mysql: `UPDATE outbox SET attempts = CASE WHEN status = 'PENDING' THEN attempts ELSE 0 END, status = 'PENDING',
      next_attempt_at = ?, delivered_at = NULL, claim_id = NULL
    WHERE id = ? AND tenant_id = ? AND (status <> 'PENDING' OR claim_id IS NULL)`,
};
