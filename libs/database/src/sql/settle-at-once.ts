import { insertNotices } from './insert-notices.js';

/** What a row of it has, and as what PostgreSQL is to take it. */
const COLUMNS = {
  id: 'text',
  task_id: 'bigint',
  exec_id: 'text',
  status: 'text',
  finished_at: 'timestamp',
  wake_at: 'timestamp',
  http_status: 'smallint',
  error_code: 'text',
  error_info: 'text',
  result: 'jsonb',
  tenant_id: 'text',
  attempt: 'int',
  node: 'text',
  outcome: 'text',
  began_at: 'timestamp',
  ended_at: 'timestamp',
  request: 'text',
  response: 'text',
  leaves: 'boolean',
  failed_tick_attempt: 'int',
  from_status: 'text',
  seen_wake_at: 'timestamp',
  callback_outcome: 'text',
  callback_hash: 'text',
};
export type SettledColumn = keyof typeof COLUMNS;
export const SETTLED_COLUMNS = Object.keys(COLUMNS) as SettledColumn[];
const typed = Object.entries(COLUMNS).map(([name, type]) => (type === 'text' ? name : `${name}::${type}`));
const arrays = SETTLED_COLUMNS.map((_, i) => `$${i + 1}::text[]`);

/**
 * The whole of a settle in one statement, where nobody waits for the slots that come free: locks the tasks, closes the runs,
 * leaves their attempts, moves the counters and what the tasks remember, sets alarms for retries. PostgreSQL only.
 * in: for each of SETTLED_COLUMNS an array. `request` and `response` are kept as their text. No `outcome`: no attempt is left.
 *   `leaves`: whether it gives its slot back. `from_status`: RUNNING unless given. `seen_wake_at`: if given, the run must still have it.
 * out: one row: `waiting`, whether some task has runs in line, and then nothing was done; `ids` of the runs that were closed
 * locks: the tasks' state rows by ascending id, then the runs, as everybody does: `closed` asks for `locked` before its first row
 */
const PARTS = `WITH v AS MATERIALIZED (SELECT ${typed.join(', ')} FROM unnest(${arrays.join(', ')}) AS v(${SETTLED_COLUMNS.join(', ')})),
  locked AS MATERIALIZED (SELECT s.queued_runs FROM task_states s WHERE s.task_id = ANY (ARRAY(SELECT task_id FROM v))
    ORDER BY s.task_id FOR UPDATE),
  closed AS (UPDATE task_runs r SET status = v.status, finished_at = v.finished_at, wake_at = v.wake_at,
      http_status = v.http_status, error_code = v.error_code, error_info = v.error_info, result = v.result
    FROM v WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = coalesce(v.from_status, 'RUNNING')
      AND (v.seen_wake_at IS NULL OR r.wake_at = v.seen_wake_at)
      AND NOT (SELECT coalesce(bool_or(queued_runs > 0), false) FROM locked)
    RETURNING r.id),
  attempts AS (INSERT INTO run_attempts (run_id, attempt, tenant_id, exec_id, node, outcome, started_at, finished_at, request,
      response, http_status, error_code, error_info)
    SELECT v.id, v.attempt, v.tenant_id, v.exec_id, v.node, v.outcome, v.began_at, v.ended_at, v.request, v.response,
      v.http_status, v.error_code, v.error_info FROM v JOIN closed ON closed.id = v.id
    WHERE v.outcome IS NOT NULL),
  alarms AS (INSERT INTO run_alarms (at, run_id, tenant_id)
    SELECT v.wake_at, v.id, v.tenant_id FROM v JOIN closed ON closed.id = v.id WHERE v.wake_at IS NOT NULL
    ON CONFLICT DO NOTHING),
  leaving AS (SELECT DISTINCT ON (v.task_id) v.task_id, v.id, v.failed_tick_attempt,
      count(*) OVER (PARTITION BY v.task_id) AS slots
    FROM v JOIN closed ON closed.id = v.id WHERE v.leaves ORDER BY v.task_id, v.id COLLATE "C" DESC),
  counted AS (UPDATE task_states s SET active_runs = s.active_runs - l.slots,
      last_ended_run_id = greatest(s.last_ended_run_id, l.id),
      failed_tick_attempt = CASE WHEN s.last_ended_run_id > l.id THEN s.failed_tick_attempt ELSE l.failed_tick_attempt END,
      failure_skipped = s.failure_skipped AND coalesce(s.last_ended_run_id > l.id, false)
    FROM leaving l WHERE s.task_id = l.task_id)`;
const ANSWER = `SELECT (SELECT coalesce(bool_or(queued_runs > 0), false) FROM locked) AS waiting,
    (SELECT coalesce(json_agg(id), '[]') FROM closed) AS ids`;

const HEARD = `,
  heard AS (UPDATE run_callbacks c SET outcome = v.callback_outcome, outcome_hash = v.callback_hash, received_at = v.ended_at
    FROM v JOIN closed ON closed.id = v.id
    WHERE v.callback_hash IS NOT NULL AND c.run_id = v.id AND c.attempt = v.attempt)`;

const TOLD = `,
  told AS (${insertNotices(`$${arrays.length + 1}`, 'JOIN closed ON closed.id = n.run_id')})`;

/**
 * For groups with callbacks among them (`heard`), and for those in which somebody is to be told (`told`): then its last
 * parameter is a JSON array as INSERT_NOTICES takes it. The everyday statement stays as small as it is.
 */
export const settleAtOnceWith = ({ heard, told }: { heard: boolean; told: boolean }): string =>
  `${PARTS}${heard ? HEARD : ''}${told ? TOLD : ''} ${ANSWER}`;
