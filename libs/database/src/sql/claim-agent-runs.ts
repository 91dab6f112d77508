import type { Statement } from '../sql.js';

const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
const executions = `JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$.id', exec_id ${text(36)} PATH '$.exec_id')) AS v`;

const limit = 'coalesce(r.attempt_timeout_seconds, t.timeout_seconds)';
const lease = (fallback: string) => `least(coalesce(t.heartbeat_timeout_sec, ${fallback}), ${limit})`;
const claimable = (
  now: string,
) => `r.status IN ('SCHEDULED', 'RETRYING') AND r.wake_at IS NOT NULL AND t.executor = 'AGENT'
      AND (r.start_before IS NULL OR r.start_before >= ${now} OR r.attempt > 0)`;
const out = `r.id, r.tenant_id, r.task_id, r.task_name, r.trigger, r.category, r.creator, r.scheduled_time, r.attempt, r.max_attempts,
  r.priority, r.exec_id, r.payload, r.trace_id, r.wake_at, r.deadline_at`;

/**
 * Takes runs for an agent: SCHEDULED or RETRYING becomes RUNNING under a new `exec_id`, with a lease until `wake_at` and an end
 * at `deadline_at`. What cannot be taken is not among the rows that come back.
 * in: JSON array of {id, exec_id}, ascending by id; agent, now, now, now, now, seconds of a lease where the task names none, now
 * locks: the run rows; the caller holds their rows in agent_runs
 */
export const CLAIM_AGENT_RUNS: Statement = {
  postgresql: `UPDATE task_runs r SET status = 'RUNNING', exec_id = v.exec_id, node = $2, attempt = r.attempt + 1, progress = NULL,
      started_at = coalesce(r.started_at, $3::timestamp), attempt_started_at = $4::timestamp, deadline_at = $5::timestamp + make_interval(secs => ${limit}),
      wake_at = $6::timestamp + make_interval(secs => ${lease('$7::int')})
    FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36)), tasks t
    WHERE r.id = v.id AND t.id = r.task_id AND ${claimable('$8::timestamp')} RETURNING ${out}`,
  mysql: `UPDATE ${executions} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
      STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = r.task_id
    SET r.status = 'RUNNING', r.exec_id = v.exec_id, r.node = ?, r.attempt = r.attempt + 1, r.progress = NULL,
      r.started_at = coalesce(r.started_at, ?), r.attempt_started_at = ?, r.deadline_at = DATE_ADD(CAST(? AS datetime(3)), INTERVAL ${limit} SECOND),
      r.wake_at = DATE_ADD(CAST(? AS datetime(3)), INTERVAL ${lease('?')} SECOND)
    WHERE ${claimable('?')}`,
};

/** Which of the runs an agent may have. in: JSON array of run ids, now */
const ids = `JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$')) AS v`;
export const OPEN_AGENT_RUNS: Statement = {
  postgresql: `SELECT r.id FROM json_array_elements_text($1::json) AS v(id) JOIN task_runs r ON r.id = v.id
    JOIN tasks t ON t.id = r.task_id WHERE ${claimable('$2::timestamp')}`,
  mysql: `SELECT r.id FROM ${ids} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id
    STRAIGHT_JOIN tasks t FORCE INDEX (PRIMARY) ON t.id = r.task_id WHERE ${claimable('?')}`,
};

/** MySQL has no RETURNING. in: the same JSON array */
export const READ_AGENT_RUNS = `SELECT ${out} FROM ${executions}
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id WHERE r.status = 'RUNNING'`;

/**
 * A sign of life: the lease goes on, but not beyond the end of the attempt.
 * in, PostgreSQL: now, seconds of a lease where the task names none, progress or null, run id, tenant, exec_id; MySQL: the same
 * out: 1, or 0 when the execution is nobody's any more
 */
export const KEEP_AGENT_LEASE: Statement = {
  postgresql: `UPDATE task_runs r SET progress = coalesce($3::jsonb, r.progress),
      wake_at = least(r.deadline_at, $1::timestamp + make_interval(secs => coalesce(t.heartbeat_timeout_sec, $2::int)))
    FROM tasks t WHERE t.id = r.task_id AND t.executor = 'AGENT' AND r.id = $4 AND r.tenant_id = $5 AND r.exec_id = $6
      AND r.status = 'RUNNING'`,
  mysql: `UPDATE task_runs r JOIN tasks t ON t.id = r.task_id AND t.executor = 'AGENT'
    SET r.wake_at = least(r.deadline_at, DATE_ADD(CAST(? AS datetime(3)), INTERVAL coalesce(t.heartbeat_timeout_sec, ?) SECOND)),
      r.progress = coalesce(?, r.progress)
    WHERE r.id = ? AND r.tenant_id = ? AND r.exec_id = ? AND r.status = 'RUNNING'`,
};

/**
 * An attempt that never reached its agent does not count: the run is allowed one more.
 * in: run id, exec_id
 */
export const ALLOW_ANOTHER_ATTEMPT: Statement = {
  postgresql:
    "UPDATE task_runs SET max_attempts = max_attempts + 1 WHERE id = $1 AND exec_id = $2 AND status = 'RUNNING'",
  mysql: "UPDATE task_runs SET max_attempts = max_attempts + 1 WHERE id = ? AND exec_id = ? AND status = 'RUNNING'",
};

/** An agent's run and what closing it needs to know of its task. in: run id, tenant */
const executionIn = (
  table: string,
  wakeAt: string,
) => `SELECT r.id, r.tenant_id, r.task_id, r.status, r.exec_id, r.attempt, r.tick_attempt, r.max_attempts, r.node,
    r.priority, r.trigger, r.scheduled_time, r.started_at, ${wakeAt} AS wake_at, r.deadline_at, r.error_code, ${limit} AS timeout_seconds,
    t.executor, t.retry_policy_json, t.need_manual, t.log_mode, t.notify
  FROM ${table} r JOIN tasks t ON t.id = r.task_id`;
const findExecution = (execution: string): Statement => ({
  postgresql: `${execution} WHERE r.id = $1 AND r.tenant_id = $2`,
  mysql: `${execution} WHERE r.id = ? AND r.tenant_id = ?`,
});

export const AGENT_EXECUTION = findExecution(executionIn('task_runs', 'r.wake_at'));
/** The same of a run that is archived: it is over. */
export const ARCHIVED_EXECUTION = findExecution(executionIn('run_archive', 'NULL'));
