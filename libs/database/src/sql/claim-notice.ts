import type { Statement } from '../sql.js';

/**
 * Takes a notice for one try: from here on its claim names the try, and nobody else sends it until `next_attempt_at`.
 * in: claim id, now, the end of the lease, delivery id, the latest due time
 * out: the number of rows, 1 or 0: it was sent, given up, taken by somebody else, or is not due
 */
export const CLAIM_NOTICE: Statement = {
  postgresql: `UPDATE outbox SET claim_id = $1, attempts = attempts + 1, last_attempt_at = $2, next_attempt_at = $3
    WHERE id = $4 AND status = 'PENDING' AND next_attempt_at <= $5`,
  mysql: `UPDATE outbox SET claim_id = ?, attempts = attempts + 1, last_attempt_at = ?, next_attempt_at = ?
    WHERE id = ? AND status = 'PENDING' AND next_attempt_at <= ?`,
};

/** Has a notice that is due sent later. in: when, delivery id, now; out: the number of rows, 0: it is not due, or under way */
export const PUT_OFF_NOTICE: Statement = {
  postgresql: "UPDATE outbox SET next_attempt_at = $1 WHERE id = $2 AND status = 'PENDING' AND next_attempt_at <= $3",
  mysql: "UPDATE outbox SET next_attempt_at = ? WHERE id = ? AND status = 'PENDING' AND next_attempt_at <= ?",
};

const columns = `o.id, o.tenant_id, o.kind, o.run_id, o.task_id, o.url, o.method, o.run_status, o.run_attempt, o.http_status, o.error_code,
  o.error_info, o.ended_at, o.alert, o.alert_count, o.attempts, o.signed, r.task_name, r.trigger, r.scheduled_time, r.started_at, r.creator, r.category,
  r.missed_from, r.missed_count, r.payload, r.result, r.trace_id, t.notify`;
const from = (runs: string) =>
  `FROM outbox o LEFT JOIN ${runs} r ON r.id = o.run_id LEFT JOIN tasks t ON t.id = o.task_id`;
const readIn = (runs: string): Statement => ({
  postgresql: `SELECT ${columns} ${from(runs)} WHERE o.id = $1 AND o.claim_id = $2`,
  mysql: `SELECT ${columns.replace('r.trigger', 'r.`trigger`')} ${from(runs)} WHERE o.id = ? AND o.claim_id = ?`,
});

/** What a claimed notice is to say, and where: the run as it is, the task's own words as they are now. in: delivery id, claim id */
export const READ_CLAIMED_NOTICE = readIn('task_runs');
/** The same of a run that is archived. */
export const READ_ARCHIVED_NOTICE = readIn('run_archive');
