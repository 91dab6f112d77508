import { onlyMySql } from '../sql.js';

const text = (size: number) => `varchar(${size}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/**
 * A settle on MySQL where nobody waits for the slots that come free and every run ends for good: the tasks first, then the runs,
 * then their attempts. Whoever sends them counts the rows they met: if one is missing, somebody waits in line or a result is stale, and
 * the transaction must not be committed.
 */

/**
 * For each task, ascending. in: newest run that ended, its `tick_attempt` if it failed, the run again (three times), slots, task, slots
 * locks: the task's state row
 * MySQL sees what is set further left already, so what is compared is set last.
 */
export const LEAVE_TASKS = onlyMySql(`UPDATE task_states SET
    failed_tick_attempt = CASE WHEN last_ended_run_id > ? THEN failed_tick_attempt ELSE ? END,
    failure_skipped = failure_skipped AND coalesce(last_ended_run_id > ?, false),
    last_ended_run_id = CASE WHEN last_ended_run_id > ? THEN last_ended_run_id ELSE ? END,
    active_runs = active_runs - ?
  WHERE task_id = ? AND queued_runs = 0 AND active_runs >= ?`);

/**
 * in: JSON array, by ascending run, of [run, execution, status, end, HTTP status, error code, error, result]
 * locks: the runs
 * One statement for all: one each would take half as long again.
 */
export const END_RUNS = onlyMySql(`UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id ${text(64)} PATH '$[0]',
    exec_id ${text(36)} PATH '$[1]', status ${text(24)} PATH '$[2]', finished_at datetime(3) PATH '$[3]',
    http_status smallint PATH '$[4]', error_code ${text(64)} PATH '$[5]', error_info text PATH '$[6]', result json PATH '$[7]')) AS v
  STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id AND r.exec_id = v.exec_id AND r.status = 'RUNNING'
  SET r.status = v.status, r.finished_at = v.finished_at, r.wake_at = NULL, r.http_status = v.http_status,
    r.error_code = v.error_code, r.error_info = v.error_info, r.result = v.result`);
