import type { Statement } from '../sql.js';

/** A page of tasks, and from which run on each has its log. in: after id, how many; locks: none */
const page = `SELECT s.task_id, l.kept_from FROM task_states s LEFT JOIN task_logs l ON l.task_id = s.task_id`;

export const PAGE_OF_LOGS: Statement = {
  postgresql: `${page} WHERE s.task_id > $1 ORDER BY s.task_id LIMIT $2`,
  mysql: `${page} WHERE s.task_id > ? ORDER BY s.task_id LIMIT ?`,
};

/**
 * The oldest of a task's newest runs, in the archive or not; runs whose time is yet to come do not count.
 * in: task, before id, how many, the same three again, that number less one
 * out: nothing, when it has fewer
 * locks: none
 */
const newest = (table: string, [task, before, limit]: string[]) =>
  `(SELECT id FROM ${table} WHERE task_id = ${task} AND id < ${before} ORDER BY task_id DESC, id DESC LIMIT ${limit})`;
const hinted = (table: string) => `${table} FORCE INDEX (${table}_task_id_id_idx)`;
const ASKED = ['?', '?', '?'];

export const OLDEST_OF_NEWEST: Statement = {
  postgresql: `SELECT id FROM (${newest('task_runs', ['$1', '$2', '$3'])} UNION ALL ${newest('run_archive', ['$4', '$5', '$6'])}) AS runs
    ORDER BY id DESC OFFSET $7 LIMIT 1`,
  mysql: `SELECT id FROM (${newest(hinted('task_runs'), ASKED)} UNION ALL ${newest(hinted('run_archive'), ASKED)}) AS runs
    ORDER BY id DESC LIMIT 1 OFFSET ?`,
};

/**
 * A task's runs from one id to before another, oldest first, in the archive or not.
 * in: task, from id, before id, how many, the same four again, how many
 */
const between = (table: string, [task, from, before, limit]: string[]) =>
  `(SELECT id FROM ${table} WHERE task_id = ${task} AND id >= ${from} AND id < ${before} ORDER BY task_id, id LIMIT ${limit})`;
const ALSO_ASKED = ['?', '?', '?', '?'];

export const RUNS_BETWEEN: Statement = {
  postgresql: `SELECT id FROM (${between('task_runs', ['$1', '$2', '$3', '$4'])} UNION ALL
    ${between('run_archive', ['$5', '$6', '$7', '$8'])}) AS runs ORDER BY id LIMIT $9`,
  mysql: `SELECT id FROM (${between(hinted('task_runs'), ALSO_ASKED)} UNION ALL
    ${between(hinted('run_archive'), ALSO_ASKED)}) AS runs ORDER BY id LIMIT ?`,
};

/** in: task, from id */
export const SET_KEPT_FROM: Statement = {
  postgresql: `INSERT INTO task_logs (task_id, kept_from) VALUES ($1, $2)
    ON CONFLICT (task_id) DO UPDATE SET kept_from = excluded.kept_from`,
  mysql: `INSERT INTO task_logs (task_id, kept_from) VALUES (?, ?) ON DUPLICATE KEY UPDATE kept_from = VALUES(kept_from)`,
};

/** Has all of a task's runs looked at again: it has got some that are older. in: task */
export const FORGET_KEPT_FROM: Statement = {
  postgresql: 'DELETE FROM task_logs WHERE task_id = $1',
  mysql: 'DELETE FROM task_logs WHERE task_id = ?',
};
