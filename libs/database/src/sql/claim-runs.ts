import { onlyMySql, onlyPostgres, type Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';
import { ofTexts, SEPARATED } from '../text-columns.js';
import { IDS } from './id-rows.js';

/**
 * Lateness is about the first start: what has started once, or was claimed in time and given back, may go on whenever it is due
 * again. A run without `wake_at` is cold: whoever tells of it is wrong. A retry is looked at LOST_AFTER_MS after it is due, so `wake_at` says
 * when that is: the queue may hold an older dispatch of the same run, which comes before its time.
 */
const claimable = (now: string, soon: string) => `r.status IN ('SCHEDULED', 'RETRYING') AND r.wake_at IS NOT NULL
      AND (r.status = 'SCHEDULED' OR r.wake_at <= ${soon})
      AND (r.start_before IS NULL OR r.start_before >= ${now} OR r.attempt > 0
        OR r.started_at IS NOT NULL)`;

/** Asked for each run by itself: joined, the planner may begin with the tasks, and then walks all their runs, while it has no statistics yet. */
const ofTask = (column: string) => `(SELECT t.${column} FROM tasks t WHERE t.id = r.task_id)`;

/**
 * A run as one text, for `readClaimedRun`: as sixteen columns it costs the process 5 µs more to read. Its name comes last,
 * since it alone may hold what stands between them. No limit of its own: 0; no payload: nothing.
 */
const toldAs = (
  separator: string,
  version: string,
  payload: string,
) => `concat_ws(${separator}, r.id, r.tenant_id, r.task_id,
    r.exec_id, r.trace_id, r.trigger, r.scheduled_time, coalesce(r.queued_at, r.scheduled_time), r.attempt, r.tick_attempt, r.max_attempts,
    r.priority, ${version}, coalesce(r.attempt_timeout_seconds, 0), ${payload}, r.task_name) AS run`;

/**
 * Takes runs for execution: SCHEDULED or RETRYING becomes RUNNING under a new `exec_id`. A run that somebody else took,
 * or that was cancelled meanwhile, or that may not start any more, is simply not among the rows that come back.
 * in: columns of ids and of new exec_ids, node, now, end of the lease, when a retry that is due now is looked at, now
 * out: the runs taken, with the version of their task, each as one text
 * What became an agent's after it was dispatched waits where agents look. Only PostgreSQL sees that here: on MySQL the tasks would be
 * locked by it, and so stand in the way of the tick; what is taken there all the same is tried again, by whoever it belongs to.
 */
export const CLAIM_RUNS =
  onlyPostgres(`UPDATE task_runs r SET status = 'RUNNING', exec_id = v.exec_id, node = $3, attempt = r.attempt + 1,
      started_at = coalesce(r.started_at, $4), attempt_started_at = $4, wake_at = $5
    FROM unnest(${ofTexts('$1')}, ${ofTexts('$2')}) AS v(id, exec_id)
    WHERE r.id = v.id AND ${claimable('$7', '$6')} AND ${ofTask('executor')} <> 'AGENT'
    RETURNING ${toldAs(SEPARATED.postgresql, ofTask('version'), "coalesce(r.payload::text, '')")}`);

/**
 * The same on MySQL, in two statements, since it has no RETURNING. Every run gets an `exec_id` that is worked out of the claim's own
 * id and the run's: so the update is one of a single table, which spares it a table of its own in between, and what carries such an
 * `exec_id` is what was taken.
 * @param count how many runs
 */
export const claimOnMySql = (count: number): { take: Statement; read: Statement } => ({
  /** in: claim, node, now, now, end of the lease, ids, when a retry that is due now is looked at, now */
  take: onlyMySql(`UPDATE task_runs r FORCE INDEX (PRIMARY) SET r.status = 'RUNNING', r.exec_id = ${EXEC_ID}, r.node = ?,
      r.attempt = r.attempt + 1, r.started_at = coalesce(r.started_at, ?), r.attempt_started_at = ?, r.wake_at = ?
    WHERE ${among(count)} AND ${claimable('?', '?')}`),
  /** in: ids, claim */
  read: onlyMySql(`SELECT ${toldAs(SEPARATED.mysql, 't.version', "coalesce(r.payload, '')")}
    FROM task_runs r FORCE INDEX (PRIMARY) STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = r.task_id
    WHERE ${among(count)} AND r.exec_id = ${EXEC_ID} AND r.status = 'RUNNING'`),
});

/** Looks like any other: the first half of a SHA-256, with dashes. in: claim */
const EXEC_ID = [9, 14, 19, 24].reduce(
  (digits, place) => `INSERT(${digits}, ${place}, 0, '-')`,
  'LEFT(SHA2(CONCAT(?, r.id), 256), 32)',
);

const among = (count: number): string => `r.id IN (${Array<string>(count).fill('?').join()})`;

/** Those of the runs that nobody holds. in: JSON array of run ids; locks: none that outlive it */
export const FREE_RUNS: Statement = {
  postgresql: `SELECT r.id FROM ${IDS.postgresql} JOIN task_runs r ON r.id = v.id FOR UPDATE OF r SKIP LOCKED`,
  mysql: `SELECT r.id FROM ${IDS.mysql} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id ${forUpdateOf('r')} SKIP LOCKED`,
};
