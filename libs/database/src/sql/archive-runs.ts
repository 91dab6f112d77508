import type { Statement } from '../sql.js';
import { IDS } from './id-rows.js';

const NAMES = [
  ...['id', 'tenant_id', 'task_id', 'task_name', 'trigger', 'category', 'creator', 'priority', 'status', 'missed_from'],
  ...[
    'missed_count',
    'scheduled_time',
    'queued_at',
    'started_at',
    'finished_at',
    'deadline_at',
    'heartbeat_deadline_at',
  ],
  ...['attempt', 'max_attempts', 'tick_attempt', 'exec_id', 'node', 'attempt_timeout_seconds', 'payload', 'result'],
  ...['progress', 'error_code', 'error_info', 'http_status', 'remark', 'trace_id'],
];
const listed = (mark: string, of = '') => NAMES.map((name) => `${of}${mark}${name}${mark}`).join(', ');

/**
 * Copies runs to the archive; deleting them is up to the caller, in the same transaction.
 * in: JSON array of run ids, now (PostgreSQL); now, JSON array (MySQL)
 * out: the number of runs
 * locks: the new rows; the caller holds the runs
 */
export const COPY_TO_ARCHIVE: Statement = {
  postgresql: `INSERT INTO run_archive (${listed('"')}, archived_at) SELECT ${listed('"', 'r.')}, $2::timestamp
    FROM ${IDS.postgresql} JOIN task_runs r ON r.id = v.id`,
  mysql: `INSERT INTO run_archive (${listed('`')}, archived_at) SELECT ${listed('`', 'r.')}, ?
    FROM ${IDS.mysql} STRAIGHT_JOIN task_runs r FORCE INDEX (PRIMARY) ON r.id = v.id`,
};
