import { type Executor, LOST_AFTER_MS } from '#domain';
import type { Database } from '../client.js';
import { WAITING_RUNS } from '../sql/waiting-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';

/** A run that the queue should know of. */
export interface WaitingForWorker {
  id: string;
  /** When its call is due, or was when the queue was told last, in epoch milliseconds. */
  dueAt: number;
  /** Its place among those that are due: since when somebody has been waiting for it. */
  since: number;
  priority: number;
  executor: Executor;
}

export interface AlarmCursor {
  at: Date;
  runId: string;
}

export interface WaitingPage {
  runs: WaitingForWorker[];
  /** Where to go on; null: these were the last. */
  next: AlarmCursor | null;
}

const BEGINNING: AlarmCursor = { at: new Date(0), runId: '' };

/** Runs that wait for a worker, a page of the alarms at a time: every one of them has an alarm. A run may come more than once. */
export async function waitingRuns(database: Database, after: AlarmCursor | null, limit: number): Promise<WaitingPage> {
  const { at, runId } = after ?? BEGINNING;
  const rows = await Sql.on(database).rows<AlarmRow>(WAITING_RUNS, sqlTime(at), sqlTime(at), runId, limit);
  const last = rows.at(-1);
  return {
    runs: rows.flatMap((row) => (row.status === null ? [] : [toWaiting(row)])),
    next: rows.length < limit || last === undefined ? null : { at: last.at, runId: last.run_id },
  };
}

interface AlarmRow {
  at: Date;
  run_id: string;
  status: 'SCHEDULED' | 'RETRYING' | null;
  wake_at: Date;
  scheduled_time: Date;
  priority: number;
  executor: Executor;
}

/**
 * Whoever makes a run due sets its `wake_at` so long after, or less long where it was admitted ahead of its scheduled time. A first
 * attempt has waited since then.
 */
function toWaiting({ run_id: id, status, wake_at, scheduled_time, priority, executor }: AlarmRow): WaitingForWorker {
  const dueAt = Math.max(wake_at.getTime() - LOST_AFTER_MS, scheduled_time.getTime());
  return { id, dueAt, since: status === 'SCHEDULED' ? scheduled_time.getTime() : dueAt, priority, executor };
}
