import { type AlertRules, alertsOf, FIRST_LOOK_MS } from '#domain';
import type { Database } from '../client.js';
import { noticeRowsOf } from '../outbox/notice-row.js';
import { type AlertedRun, writeAlerts } from '../outbox/write-alerts.js';
import { type NoticeToSend, toSend, writeNotices } from '../outbox/write-notices.js';
import { HEAR_CALLBACKS, SETTLE_RUNS } from '../sql/settle-runs.js';
import type { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { freeSlots, leavingOf, lockTasks, type ReleasedRun } from './free-slots.js';
import { offerRuns } from '../agents/offer-runs.js';
import { closeOnMySql } from './close-on-mysql.js';
import { byId } from './run-order.js';
import { setAlarms } from './set-alarms.js';
import { settleAtOnce } from './settle-at-once.js';
import { settleTogether } from './settle-together.js';
import { leavesSlot, type Settlement, toRow } from './settlement.js';

export interface SettleReport {
  /** Runs this call closed. Those missing were replaced, cancelled or taken over: their result changes nothing. */
  settled: Set<string>;
  released: ReleasedRun[];
  /** What teams are to be told of it, for the queue. */
  notices: NoticeToSend[];
}

/**
 * Closes executions: the runs, their attempts, the slots they held, and the waiting runs that take those slots. All in one
 * transaction; where nobody waits, PostgreSQL needs a single statement for it, and MySQL reads nothing first.
 */
export async function settleRuns(
  database: Database,
  settlements: readonly Settlement[],
  now: number,
  alerts: AlertRules | null = null,
): Promise<SettleReport> {
  const alerted = alerts === null ? [] : settlements.flatMap((one) => alertedBy(one, alerts));
  const notices = settlements.flatMap(noticeRowsOf);
  const toldOf = (settled: Set<string>) => notices.filter((row) => settled.has(row.run_id));
  if (database.dialect === 'postgresql' && alerted.length === 0 && !settlements.some(isForAgents)) {
    const hasCallbacks = settlements.some((one) => one.callback !== undefined);
    const settled = await settleAtOnce(database, settlements, { hasCallbacks, notices });
    if (settled !== null) return { settled, released: [], notices: toldOf(settled).map((row) => toSend(row, now)) };
  }
  if (database.dialect === 'mysql' && alerted.length === 0 && notices.length === 0) {
    const isDone = await settleTogether(database, settlements);
    if (isDone) return { settled: new Set(settlements.map((one) => one.runId)), released: [], notices: [] };
  }
  return inSqlTransaction(database, async (sql) => {
    const { settled, released } = await settleInLine(sql, settlements, now);
    const told = toldOf(settled);
    await writeNotices(sql, told);
    const raised = await writeAlerts(
      sql,
      alerted.filter((run) => settled.has(run.runId)),
    );
    return { settled, released, notices: [...told.map((row) => toSend(row, now)), ...raised] };
  });
}

const rowsOf = (settlements: readonly Settlement[]): string => JSON.stringify(settlements.map(toRow).sort(byId));

async function settleInLine(
  sql: Sql,
  settlements: readonly Settlement[],
  now: number,
): Promise<Omit<SettleReport, 'notices'>> {
  const tasks = await lockTasks(
    sql,
    settlements.map((one) => one.taskId),
  );
  const settled = await closeRuns(sql, settlements);
  const closed = settlements.filter((one) => settled.has(one.runId));
  await hearCallbacks(sql, closed);
  const released = await freeSlots(sql, tasks, leavingOf(closed.filter(leavesSlot).map(leavingRun)), now);
  await setAlarms(sql, closed.flatMap(retryAlarm));
  await offerRuns(
    sql,
    closed.filter(isForAgents).map((one) => ({ ...one, id: one.runId, dueAt: one.dueAgainAt ?? now })),
  );
  return { settled, released };
}

async function closeRuns(sql: Sql, settlements: readonly Settlement[]): Promise<Set<string>> {
  if (sql.dialect === 'mysql') return closeOnMySql(sql, settlements);
  const closed = await sql.rows<{ id: string }>(SETTLE_RUNS, rowsOf(settlements));
  return new Set(closed.map((row) => row.id));
}

async function hearCallbacks(sql: Sql, closed: readonly Settlement[]): Promise<void> {
  const heard = closed.filter((one) => one.callback !== undefined);
  if (heard.length > 0) await sql.run(HEAR_CALLBACKS, rowsOf(heard));
}

/** Its next attempt is an agent's. */
const isForAgents = ({ executor, dueAgainAt }: Settlement): boolean => executor === 'AGENT' && dueAgainAt !== null;

function leavingRun({ taskId, runId, status, tickAttempt }: Settlement) {
  return { taskId, slot: true, place: false, ended: { id: runId, status, tickAttempt } };
}

function retryAlarm({ runId, dueAgainAt }: Settlement) {
  return dueAgainAt === null ? [] : [{ runId, at: dueAgainAt + FIRST_LOOK_MS }];
}

/** Rare: an alert is worth the longer way, where it is written together with what it tells of. */
function alertedBy(one: Settlement, rules: AlertRules): AlertedRun[] {
  return alertsOf(rules, one).map((alert) => ({ ...one, alert, at: one.finishedAt }));
}
