import type { Statement } from '../sql.js';

/**
 * A run with everything a callback needs to know of it and its task: one row for each of its attempts that has a token, or
 * one without, if none has.
 * in: run id
 */
const columns = `r.task_id, r.tenant_id, r.status, r.exec_id, r.attempt, r.max_attempts, r.tick_attempt, r.priority, r.node,
    r.trigger, r.trace_id, r.scheduled_time, r.deadline_at, r.heartbeat_deadline_at, t.callback_method, t.heartbeat_timeout_sec, t.late_policy, t.retry_policy_json,
    t.need_manual, t.log_mode, t.notify, c.attempt AS token_attempt, c.exec_id AS token_exec_id, c.token_hash, c.outcome, c.outcome_hash, c.started_at,
    c.http_status`;
const joined = 'JOIN tasks t ON t.id = r.task_id LEFT JOIN run_callbacks c ON c.run_id = r.id';
const findIn = (table: string): Statement => ({
  postgresql: `SELECT ${columns} FROM ${table} r ${joined} WHERE r.id = $1`,
  mysql: `SELECT ${columns} FROM ${table} r ${joined} WHERE r.id = ?`,
});

export const FIND_CALLBACK = findIn('task_runs');
/** The same of a run that is archived: whatever comes now is late. */
export const FIND_ARCHIVED_CALLBACK = findIn('run_archive');

/** How the current attempts of runs were started. in: JSON array of run ids */
const starts = 'r.id, c.started_at, c.http_status';
const current = 'run_callbacks c ON c.run_id = r.id AND c.attempt = r.attempt';

export const ATTEMPT_STARTS: Statement = {
  postgresql: `SELECT ${starts} FROM json_array_elements_text($1::json) AS v(id) JOIN task_runs r ON r.id = v.id JOIN ${current}`,
  mysql: `SELECT ${starts} FROM JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS v
    STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id JOIN ${current}`,
};

/**
 * Which executions have been called back. in: JSON array of {id, exec_id}; out: their `exec_id`
 */
export const CALLED_BACK: Statement = {
  postgresql: `SELECT c.exec_id FROM json_to_recordset($1::json) AS v(id varchar(64), exec_id varchar(36))
    JOIN run_callbacks c ON c.run_id = v.id AND c.exec_id = v.exec_id WHERE c.outcome IS NOT NULL`,
  mysql: `SELECT c.exec_id FROM JSON_TABLE(?, '$[*]' COLUMNS (id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.id',
      exec_id varchar(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.exec_id')) AS v
    STRAIGHT_JOIN run_callbacks c FORCE INDEX (PRIMARY) ON c.run_id = v.id AND c.exec_id = v.exec_id WHERE c.outcome IS NOT NULL`,
};
