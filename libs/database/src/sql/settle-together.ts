import { onlyMySql } from '../sql.js';

const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/**
 * A settle on MySQL where nobody waits for the slots that come free and every run ends for good: the tasks first, then the runs,
 * then their attempts. Whoever sends them counts the rows they met: if one is missing, somebody waits in line or a result is stale, and
 * the transaction must not be committed.
 */

/**
 * in: JSON array, by ascending task, of [task, slots, newest run that ended, its `tick_attempt` if it failed]
 * locks: the state rows
 * What is compared is set last: whichever way MySQL goes about it, it compares what was there before.
 */
export const LEAVE_TASKS = onlyMySql(`UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$[0]', slots int PATH '$[1]',
    run_id ${text(64)} PATH '$[2]', failed_tick_attempt int PATH '$[3]')) AS v
  STRAIGHT_JOIN task_states s FORCE INDEX (PRIMARY) ON s.task_id = v.id AND s.queued_runs = 0 AND s.active_runs >= v.slots
  SET s.active_runs = s.active_runs - v.slots,
    s.failed_tick_attempt = CASE WHEN s.last_ended_run_id > v.run_id THEN s.failed_tick_attempt ELSE v.failed_tick_attempt END,
    s.failure_skipped = s.failure_skipped AND coalesce(s.last_ended_run_id > v.run_id, false),
    s.last_ended_run_id = CASE WHEN s.last_ended_run_id > v.run_id THEN s.last_ended_run_id ELSE v.run_id END`);

const endRuns = (columns: string, values: string) =>
  onlyMySql(`UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$[0]', exec_id ${text(36)} PATH '$[1]',
    finished_at datetime(3) PATH '$[2]', http_status smallint PATH '$[3]', ${columns})) AS v
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'
  SET r.finished_at = v.finished_at, r.wake_at = NULL, r.http_status = v.http_status, r.result = v.result, ${values}`);

/**
 * in: JSON array, by ascending run, of [run, execution, end, HTTP status, status, error code, error, result]
 * locks: the runs
 */
export const END_RUNS = endRuns(
  `status ${text(24)} PATH '$[4]', error_code ${text(64)} PATH '$[5]', error_info text PATH '$[6]', result json PATH '$[7]'`,
  'r.status = v.status, r.error_code = v.error_code, r.error_info = v.error_info',
);

/**
 * Where all of them are successes: every column less is one that need not be looked for in the JSON, a fifth of the whole.
 * in: JSON array, by ascending run, of [run, execution, end, HTTP status, result]
 * locks: the runs
 */
export const END_SUCCESSES = endRuns(
  `result json PATH '$[4]'`,
  `r.status = 'SUCCESS', r.error_code = NULL, r.error_info = NULL`,
);
