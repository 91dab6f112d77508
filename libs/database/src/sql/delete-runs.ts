import type { Statement } from '../sql.js';
import { forUpdateOf } from './for-update.js';
import { IDS } from './id-rows.js';

/**
 * Those of the runs that still are as they were found.
 * in: JSON array of run ids, status, ended before
 * locks: the runs, by ascending id, skipping those others hold
 */
const hold = (table: string): Statement => ({
  postgresql: `SELECT r.id FROM ${IDS.postgresql} JOIN ${table} r ON r.id = v.id WHERE r.status = $2 AND r.finished_at < $3
    ORDER BY r.id FOR UPDATE OF r SKIP LOCKED`,
  mysql: `SELECT r.id FROM ${IDS.mysql} STRAIGHT_JOIN ${table} r FORCE INDEX (PRIMARY) ON r.id = v.id
    WHERE r.status = ? AND r.finished_at < ? ${forUpdateOf('r')} SKIP LOCKED`,
});

export const HOLD_ENDED = { runs: hold('task_runs'), archive: hold('run_archive') };

/** in: JSON array of run ids; locks: the rows */
const byRun = (table: string, { key = 'run_id', index = 'PRIMARY', also = '' } = {}): Statement => ({
  postgresql: `DELETE FROM ${table} d USING ${IDS.postgresql} WHERE d.${key} = v.id${also}`,
  mysql: `DELETE d FROM ${IDS.mysql} STRAIGHT_JOIN ${table} d FORCE INDEX (${index}) ON d.${key} = v.id WHERE TRUE${also}`,
});

export const DELETE_RUNS = {
  runs: byRun('task_runs', { key: 'id' }),
  archive: byRun('run_archive', { key: 'id' }),
};

/**
 * Everything that belongs to runs. Their alarms are not in it: rescue drops those when their time comes. A delivery that
 * somebody has just asked for again stays, and is sent without its run.
 */
export const DELETE_BELONGINGS: readonly Statement[] = [
  byRun('outbox', { index: 'outbox_run_id_id_idx', also: " AND d.status <> 'PENDING'" }),
  byRun('run_attempts'),
  byRun('run_callbacks'),
  byRun('late_callbacks'),
  byRun('run_handlings', { index: 'run_handlings_run_id_id_idx' }),
  byRun('agent_runs'),
];
