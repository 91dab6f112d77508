import type { Statement } from '../sql.js';

const oldest = `SELECT (SELECT r.id FROM task_runs r ORDER BY r.id LIMIT 1) AS run,
  (SELECT a.id FROM run_archive a ORDER BY a.id LIMIT 1) AS archived`;

/** The leftmost run of each table. out: one row, NULL where there is none */
export const OLDEST_RUNS: Statement = { postgresql: oldest, mysql: oldest };
