import { randomUUID } from 'node:crypto';
import type { NoticeKind, Notify } from '#domain';
import type { Database } from '../client.js';
import { CLAIM_NOTICE, PUT_OFF_NOTICE, READ_ARCHIVED_NOTICE, READ_CLAIMED_NOTICE } from '../sql/claim-notice.js';
import { fromJson, sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';

/** One try of a notice, claimed. */
export interface ClaimedNotice {
  id: string;
  claimId: string;
  tenantId: string;
  kind: NoticeKind;
  runId: string;
  taskId: bigint;
  url: string;
  method: string;
  /** It was promised with a signature: without one it may not go out. */
  signed: boolean;
  /** This one included. */
  attempts: number;
  /** The task's own words as they are now. */
  notify: Notify | null;
  /** What an alert is for, and of how many runs it tells. */
  alert: string | null;
  alertCount: number;
  /** How it ended, as it was when the notice was written. */
  ending: NoticedEnding;
  /** Null when the run is gone. */
  run: NoticedRun | null;
}

export interface NoticedEnding {
  status: string;
  attempt: number;
  httpStatus: number | null;
  errorCode: string | null;
  errorInfo: string | null;
  endedAt: Date;
}

/** What the run is that a notice tells of. */
export interface NoticedRun {
  taskName: string;
  trigger: string;
  scheduledTime: Date;
  startedAt: Date | null;
  creator: string | null;
  category: string | null;
  missedFrom: Date | null;
  missedCount: number | null;
  payload: unknown;
  result: unknown;
  traceId: string;
}

/** A job may come a moment before the time it was asked for, by the database's clock. */
const EARLY_MS = 500;

/** Null when there is nothing to send: delivered, given up, not due, or in somebody else's hands. */
export async function claimNotice(
  database: Database,
  id: string,
  now: number,
  leaseMs: number,
): Promise<ClaimedNotice | null> {
  const claimId = randomUUID();
  const sql = Sql.on(database);
  const times = [sqlTime(now), sqlTime(now + leaseMs)];
  const claimed = await sql.run(CLAIM_NOTICE, claimId, ...times, id, sqlTime(now + EARLY_MS));
  if (claimed === 0) return null;
  const [live] = await sql.rows<NoticeColumns>(READ_CLAIMED_NOTICE, id, claimId);
  const isGone = live?.task_name === null;
  const [row] = isGone ? await sql.rows<NoticeColumns>(READ_ARCHIVED_NOTICE, id, claimId) : [live];
  return row === undefined ? null : toNotice(row, claimId);
}

/** False: there is nothing to put off, somebody else has it or it is not due. */
export async function putOffNotice(database: Database, id: string, now: number, until: number): Promise<boolean> {
  return (await Sql.on(database).run(PUT_OFF_NOTICE, sqlTime(until), id, sqlTime(now + EARLY_MS))) > 0;
}

interface NoticeColumns {
  id: string;
  tenant_id: string;
  kind: NoticeKind;
  run_id: string;
  task_id: bigint;
  url: string;
  method: string;
  run_status: string | null;
  run_attempt: number | null;
  http_status: number | null;
  error_code: string | null;
  error_info: string | null;
  ended_at: Date;
  alert: string | null;
  alert_count: number;
  attempts: number;
  signed: boolean | number;
  task_name: string | null;
  trigger: string;
  scheduled_time: Date;
  started_at: Date | null;
  creator: string | null;
  category: string | null;
  missed_from: Date | null;
  missed_count: number | null;
  payload: unknown;
  result: unknown;
  trace_id: string;
  notify: unknown;
}

function toNotice(row: NoticeColumns, claimId: string): ClaimedNotice {
  return {
    id: row.id,
    claimId,
    tenantId: row.tenant_id,
    kind: row.kind,
    runId: row.run_id,
    taskId: row.task_id,
    url: row.url,
    method: row.method,
    signed: Boolean(row.signed),
    attempts: row.attempts,
    notify: fromJson(row.notify) as Notify | null,
    alert: row.alert,
    alertCount: row.alert_count,
    ending: endingOf(row),
    run: row.task_name === null ? null : { ...toRun(row), taskName: row.task_name },
  };
}

function endingOf(row: NoticeColumns): NoticedEnding {
  return {
    status: row.run_status ?? '',
    attempt: row.run_attempt ?? 0,
    httpStatus: row.http_status,
    errorCode: row.error_code,
    errorInfo: row.error_info,
    endedAt: row.ended_at,
  };
}

function toRun(row: NoticeColumns): Omit<NoticedRun, 'taskName'> {
  return {
    trigger: row.trigger,
    scheduledTime: row.scheduled_time,
    startedAt: row.started_at,
    creator: row.creator,
    category: row.category,
    missedFrom: row.missed_from,
    missedCount: row.missed_count,
    payload: row.payload,
    result: row.result,
    traceId: row.trace_id,
  };
}
