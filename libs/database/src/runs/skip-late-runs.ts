import type { AlertRules, Executor, RunTrigger } from '#domain';
import { withdrawRuns } from '../agents/offer-runs.js';
import type { Database } from '../client.js';
import { writeAlerts } from '../outbox/write-alerts.js';
import { FIND_LATE_RUNS, LATE_IN_LINE, LOCK_LATE_RUNS, SKIP_LATE_RUNS } from '../sql/late-runs.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';
import { freeSlots, leavingOf, type LockedTask, lockTasks, type ReleasedRun } from './free-slots.js';

export interface LateReport {
  /** Runs this call closed as SKIPPED (LATE), also those that waited in line for a slot; with what started them. */
  late: Map<string, RunTrigger>;
  released: ReleasedRun[];
}

interface LateRow {
  id: string;
  task_id: bigint;
  tenant_id: string;
  trigger: RunTrigger;
  /** Known of those that do not wait in line. */
  executor?: Executor;
}

/**
 * Closes those of the runs that may not start any more: the runs, the slots they held, and the waiting runs that take
 * those slots, in one transaction. What waits and is late itself goes with them, instead of coming by one by one.
 */
export async function skipLateRuns(
  database: Database,
  ids: readonly string[],
  now: number,
  alerts: AlertRules | null = null,
): Promise<LateReport> {
  const found = await Sql.on(database).rows<LateRow>(FIND_LATE_RUNS, JSON.stringify(ids), sqlTime(now));
  if (found.length === 0) return { late: new Map(), released: [] };
  const taskIds = found.map((row) => row.task_id);
  return inSqlTransaction(database, async (sql) => {
    const { late, released } = await skipHeld(sql, await lockTasks(sql, taskIds), found, now);
    if (alerts?.on.includes('lateness'))
      await writeAlerts(
        sql,
        late.map((row) => alertedRun(row, now)),
      );
    return { late: new Map(late.map((row) => [row.id, row.trigger])), released };
  });
}

/** Rescue tells the queue of these alerts. */
const alertedRun = ({ id, task_id: taskId, tenant_id: tenantId }: LateRow, at: number) => ({
  ...{ alert: 'lateness' as const, runId: id, taskId, tenantId, status: 'SKIPPED' as const, attempt: 0, at },
});

async function skipHeld(sql: Sql, tasks: LockedTask[], found: LateRow[], now: number) {
  const ids = JSON.stringify(found.map((row) => row.id).sort());
  const scheduled = await sql.rows<LateRow>(LOCK_LATE_RUNS, ids, sqlTime(now));
  const queued = await lateInLine(sql, tasks, now);
  const late = [...scheduled, ...queued];
  if (late.length === 0) return { late, released: [] };
  await sql.run(SKIP_LATE_RUNS, JSON.stringify(late.map((row) => row.id).sort()), sqlTime(now));
  await withdrawRuns(sql, scheduled);
  const leaving = leavingOf([
    ...scheduled.map(({ task_id: taskId }) => ({ taskId, slot: true, place: false })),
    ...queued.map(({ task_id: taskId }) => ({ taskId, slot: false, place: true })),
  ]);
  return { late, released: await freeSlots(sql, tasks, leaving, now) };
}

async function lateInLine(sql: Sql, tasks: LockedTask[], now: number): Promise<LateRow[]> {
  const late: LateRow[] = [];
  for (const { id, queued_runs: waiting } of tasks) {
    if (waiting > 0) late.push(...(await sql.rows<LateRow>(LATE_IN_LINE, id, sqlTime(now))));
  }
  return late;
}
