import { FIRST_LOOK_MS, LOST_AFTER_MS } from '#domain';
import { ofTexts } from '../text-columns.js';
import { insertNotices } from './insert-notices.js';

/** What a row of it has, and as what PostgreSQL is to take it. */
const COLUMNS = {
  id: 'text',
  task_id: 'bigint',
  exec_id: 'text',
  status: 'text',
  is_final: 'boolean',
  wake_at: 'timestamp',
  http_status: 'smallint',
  error_code: 'text',
  error_info: 'text',
  result: 'jsonb',
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

/** What an everyday end has instead of these columns: a success that leaves nothing to be done. */
const EVERYDAY: Partial<Record<SettledColumn, string>> = {
  status: "'SUCCESS'",
  is_final: 'true',
  wake_at: 'NULL::timestamp',
  error_code: 'NULL',
  error_info: 'NULL',
  outcome: "'SUCCESS'",
  leaves: 'true',
  failed_tick_attempt: 'NULL::int',
  from_status: 'NULL',
  seen_wake_at: 'NULL::timestamp',
  callback_outcome: 'NULL',
  callback_hash: 'NULL',
};
export const EVERYDAY_COLUMNS = SETTLED_COLUMNS.filter((name) => !(name in EVERYDAY));

/**
 * The whole of a settle in one statement, where nobody waits for the slots that come free: locks the tasks, closes the runs,
 * leaves their attempts, moves the counters and what the tasks remember, sets alarms for retries. PostgreSQL only.
 * in: for each of the columns its texts. `request` and `response` are kept as they are. No `outcome`: no attempt is left.
 *   `is_final`: it ends its run. `leaves`: it gives its slot back. `from_status`: RUNNING unless given. `seen_wake_at`: if given, the
 *   run must still have it.
 * out: one row: `waiting`, whether some task has runs in line, and then nothing was done; `ids` of the runs that were closed, nothing
 *   if all were
 * locks: the tasks' state rows by ascending id, then the runs, as everybody does: `closed` asks for `locked` before its first row
 */
const PARTS = `locked AS MATERIALIZED (SELECT s.queued_runs FROM task_states s WHERE s.task_id = ANY (ARRAY(SELECT task_id FROM v))
    ORDER BY s.task_id FOR UPDATE),
  closed AS (UPDATE task_runs r SET status = v.status, finished_at = CASE WHEN v.is_final THEN v.ended_at END, wake_at = v.wake_at,
      http_status = v.http_status, error_code = v.error_code, error_info = v.error_info, result = v.result
    FROM v WHERE r.id = v.id AND r.exec_id = v.exec_id AND r.status = coalesce(v.from_status, 'RUNNING')
      AND (v.seen_wake_at IS NULL OR r.wake_at = v.seen_wake_at)
      AND NOT (SELECT coalesce(bool_or(queued_runs > 0), false) FROM locked)
    RETURNING r.id, r.tenant_id),
  attempts AS (INSERT INTO run_attempts (run_id, attempt, tenant_id, exec_id, node, outcome, started_at, finished_at, request,
      response, http_status, error_code, error_info)
    SELECT v.id, v.attempt, closed.tenant_id, v.exec_id, v.node, v.outcome, v.began_at, v.ended_at, v.request, v.response,
      v.http_status, v.error_code, v.error_info FROM v JOIN closed ON closed.id = v.id
    WHERE v.outcome IS NOT NULL),
  alarms AS (INSERT INTO run_alarms (at, run_id, tenant_id)
    SELECT v.wake_at - interval '${LOST_AFTER_MS - FIRST_LOOK_MS} ms', v.id, closed.tenant_id FROM v JOIN closed ON closed.id = v.id WHERE v.wake_at IS NOT NULL
    ON CONFLICT DO NOTHING),
  leaving AS (SELECT DISTINCT ON (v.task_id) v.task_id, v.id, v.failed_tick_attempt AS failed_tick_attempt,
      count(*) OVER (PARTITION BY v.task_id) AS slots
    FROM v JOIN closed ON closed.id = v.id WHERE v.leaves ORDER BY v.task_id, v.id COLLATE "C" DESC),
  counted AS (UPDATE task_states s SET active_runs = s.active_runs - l.slots,
      last_ended_run_id = greatest(s.last_ended_run_id, l.id),
      failed_tick_attempt = CASE WHEN s.last_ended_run_id > l.id THEN s.failed_tick_attempt ELSE l.failed_tick_attempt END,
      failure_skipped = s.failure_skipped AND coalesce(s.last_ended_run_id > l.id, false)
    FROM leaving l WHERE s.task_id = l.task_id)`;
const ANSWER = `SELECT (SELECT coalesce(bool_or(queued_runs > 0), false) FROM locked) AS waiting,
    CASE WHEN (SELECT count(*) FROM closed) < (SELECT count(*) FROM v)
      THEN (SELECT coalesce(json_agg(id), '[]') FROM closed) END AS ids`;

const HEARD = `,
  heard AS (UPDATE run_callbacks c SET outcome = v.callback_outcome, outcome_hash = v.callback_hash, received_at = v.ended_at
    FROM v JOIN closed ON closed.id = v.id
    WHERE v.callback_hash IS NOT NULL AND c.run_id = v.id AND c.attempt = v.attempt)`;

const TOLD = `,
  told AS (${insertNotices(`$${SETTLED_COLUMNS.length + 1}`, 'JOIN closed ON closed.id = n.run_id')})`;

function rowsOf(columns: readonly SettledColumn[]): string {
  const typed = columns.map((name) => (COLUMNS[name] === 'text' ? name : `${name}::${COLUMNS[name]}`));
  const texts = columns.map((_, i) => ofTexts(`$${i + 1}`));
  return `WITH v AS MATERIALIZED (SELECT ${typed.join(', ')} FROM unnest(${texts.join(', ')}) AS v(${columns.join(', ')})),`;
}

/**
 * For groups with callbacks among them (`heard`), and for those in which somebody is to be told (`told`): then its last
 * parameter is a JSON array as INSERT_NOTICES takes it. The everyday statement stays as small as it is.
 */
export const settleAtOnceWith = ({ heard, told }: { heard: boolean; told: boolean }): string =>
  `${rowsOf(SETTLED_COLUMNS)} ${PARTS}${heard ? HEARD : ''}${told ? TOLD : ''} ${ANSWER}`;

/** For groups of nothing but everyday ends: takes EVERYDAY_COLUMNS. Half as many columns are about a fifth less for PostgreSQL to do. */
export const SETTLE_EVERYDAY = `${rowsOf(EVERYDAY_COLUMNS)} ${PARTS} ${ANSWER}`.replace(
  /\bv\.(\w+)/g,
  (column, name: SettledColumn) => EVERYDAY[name] ?? column,
);
