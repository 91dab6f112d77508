import type { Statement } from '../sql.js';

/**
 * One page of the alarms, whenever they go off, and of each the run if it waits to be executed.
 * in: at of the last alarm seen (twice), its run id, most rows
 * out: the alarms in order; `status` is null where the run is closed, executing, or does not wait for anybody
 * locks: none
 */
const out = 'a.at, a.run_id, r.status, r.wake_at, r.scheduled_time, r.priority, t.executor';
const waiting = "r.status IN ('SCHEDULED', 'RETRYING') AND r.wake_at IS NOT NULL";

export const WAITING_RUNS: Statement = {
  postgresql: `SELECT ${out} FROM (SELECT at, run_id FROM run_alarms WHERE at >= $1 AND (at > $2 OR run_id > $3)
      ORDER BY at, run_id LIMIT $4) AS a
    LEFT JOIN task_runs r ON r.id = a.run_id AND ${waiting}
    LEFT JOIN tasks t ON t.id = r.task_id ORDER BY a.at, a.run_id`,
  mysql: `SELECT ${out} FROM (SELECT at, run_id FROM run_alarms WHERE at >= ? AND (at > ? OR run_id > ?)
      ORDER BY at, run_id LIMIT ?) AS a
    LEFT JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = a.run_id AND ${waiting}
    LEFT JOIN tasks t ON t.id = r.task_id ORDER BY a.at, a.run_id`,
};
