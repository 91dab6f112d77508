import type { Statement } from '../sql.js';

/**
 * The run that stands in the way of a task's next one. The one the newest row already names, as long as it is unfinished, so
 * that a long run with many skipped ticks behind it is not searched for again and again; else the newest that holds a slot;
 * else the first in line.
 * in: the id that runs holding a slot sort before, JSON array of task ids. Of cold runs, of which there may be very many, all but
 *   those of the next seconds have later ids: the walk does not pass them
 * out: task_id, id or NULL
 * locks: none; the caller holds the state rows, whose counters keep the walk from going through a history that has none
 */
const holdsSlot = (run: string) =>
  `(${run}.status IN ('RUNNING', 'WAITING_CALLBACK', 'RETRYING') OR (${run}.status = 'SCHEDULED' AND ${run}.wake_at IS NOT NULL))`;

/** The indexes MariaDB has to be told of: the task's own, walked back from its newest run, and that of who waits. */
interface Hints {
  before: string;
  walk: string;
  line: string;
}

const blocking = ({ before, walk, line }: Hints) => `SELECT s.task_id, coalesce(
    (SELECT b.id FROM task_runs l JOIN task_runs b ON b.id = l.blocked_by WHERE l.id = s.last_run_id AND ${holdsSlot('b')}),
    CASE WHEN s.active_runs > 0 THEN (SELECT r.id FROM task_runs r ${walk}
      WHERE r.task_id = s.task_id AND r.id < ${before} AND ${holdsSlot('r')} ORDER BY r.id DESC LIMIT 1) END,
    CASE WHEN s.queued_runs > 0 THEN (SELECT q.id FROM task_runs q ${line}
      WHERE q.task_id = s.task_id AND q.attention = 'QUEUED' ORDER BY q.id LIMIT 1) END) AS id`;

const HINTS = {
  before: '?',
  walk: 'FORCE INDEX (task_runs_task_id_id_idx)',
  line: 'FORCE INDEX (task_runs_queued_idx)',
};

export const BLOCKING_RUNS: Statement = {
  postgresql: `${blocking({ before: '$1', walk: '', line: '' })}
    FROM json_array_elements_text($2::json) AS v(id) JOIN task_states s ON s.task_id = v.id::bigint`,
  mysql: `${blocking(HINTS)}
    FROM JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$')) AS v STRAIGHT_JOIN task_states s ON s.task_id = v.id`,
};
