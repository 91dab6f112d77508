import { failsTask, isFinal } from '#domain';
import type { Database } from '../client.js';
import type { NoticeRow } from '../outbox/notice-row.js';
import {
  EVERYDAY_COLUMNS,
  SETTLE_EVERYDAY,
  SETTLED_COLUMNS,
  type SettledColumn,
  settleAtOnceWith,
} from '../sql/settle-at-once.js';
import { sqlTime, sqlTimeIf } from '../sql-time.js';
import { onlyPostgres, Sql } from '../sql.js';
import { textColumns, withoutSeparator } from '../text-columns.js';
import { retried } from '../transaction.js';
import { byRunId } from './run-order.js';
import { closedStatusOf, leavesSlot, type Settlement, wakeAtOf } from './settlement.js';

/** What a group has beside the runs it closes; each kind has a statement of its own, so that the others pay nothing for it. */
export interface SettleExtras {
  hasCallbacks: boolean;
  notices: readonly NoticeRow[];
}

const statementFor = (heard: boolean, told: boolean) => onlyPostgres(settleAtOnceWith({ heard, told }));
const PLAIN = { alone: statementFor(false, false), told: statementFor(false, true) };
const EVERYDAY = onlyPostgres(SETTLE_EVERYDAY);
const CALLED_BACK = { alone: statementFor(true, false), told: statementFor(true, true) };

interface Answer {
  waiting: boolean;
  ids: string[] | null;
}

/**
 * Ids of the runs that were closed; null when somebody waits for a slot of their tasks, and then nothing was done. Of the notices
 * those are written whose run was closed.
 */
export async function settleAtOnce(
  database: Database,
  settlements: readonly Settlement[],
  { hasCallbacks, notices }: SettleExtras,
): Promise<Set<string> | null> {
  const sorted = [...settlements].sort(byRunId);
  const told = notices.length > 0 ? [JSON.stringify(notices)] : [];
  const statements = hasCallbacks ? CALLED_BACK : PLAIN;
  const [statement, columns] =
    told.length === 0 && settlements.every(isEveryday)
      ? [EVERYDAY, EVERYDAY_TEXTS]
      : [told.length > 0 ? statements.told : statements.alone, TEXTS];
  const values = [...textColumns(sorted, columns), ...told];
  const [{ waiting, ids }] = await retried(() => Sql.on(database).rows<Answer>(statement, ...values));
  return waiting ? null : new Set(ids ?? settlements.map((one) => one.runId));
}

/** A settlement column by column, as `toRow` has it field by field. */
const OF: Record<SettledColumn, (one: Settlement) => string | null> = {
  id: (one) => one.runId,
  task_id: (one) => String(one.taskId),
  exec_id: (one) => one.execId,
  status: closedStatusOf,
  is_final: (one) => (isFinal(closedStatusOf(one)) ? 't' : 'f'),
  wake_at: (one) => timeOf(wakeAtOf(one)),
  http_status: (one) => one.httpStatus?.toString() ?? null,
  error_code: (one) => withoutSeparator(one.errorCode),
  error_info: (one) => withoutSeparator(one.errorInfo),
  // JSON whatever it is: a text as well.
  result: (one) => jsonOf(one.result),
  attempt: (one) => String(one.attempt),
  node: (one) => withoutSeparator(one.node),
  outcome: (one) => (one.withoutAttempt ? null : one.outcome),
  began_at: (one) => sqlTime(one.startedAt),
  ended_at: (one) => sqlTime(one.finishedAt),
  request: (one) => jsonOf(one.request),
  response: (one) => jsonOf(one.response),
  leaves: (one) => (leavesSlot(one) ? 't' : 'f'),
  failed_tick_attempt: (one) => (failsTask(one.status) ? String(one.tickAttempt) : null),
  from_status: (one) => one.from ?? null,
  seen_wake_at: (one) => timeOf(one.seenWakeAt),
  callback_outcome: (one) => one.callback?.outcome ?? null,
  callback_hash: (one) => one.callback?.hash ?? null,
};
const TEXTS = SETTLED_COLUMNS.map((name) => OF[name]);
const EVERYDAY_TEXTS = EVERYDAY_COLUMNS.map((name) => OF[name]);

/** Whether there is nothing to be said of it in the other columns. */
const isEveryday = (one: Settlement): boolean =>
  closedStatusOf(one) === 'SUCCESS' &&
  one.outcome === 'SUCCESS' &&
  !one.withoutAttempt &&
  one.errorCode === null &&
  one.errorInfo === null &&
  one.from === undefined &&
  one.seenWakeAt === undefined &&
  one.callback === undefined;

const timeOf = (time: number | null | undefined): string | null => sqlTimeIf(time) ?? null;
const jsonOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);
