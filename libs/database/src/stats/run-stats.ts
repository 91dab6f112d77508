import { firstIdOfSecond, type RecentRun, type RunStatus, type RunTrigger } from '#domain';
import type { Database } from '../client.js';
import { COUNT_ALARMS, COUNT_COLD_RUNS, COUNT_IN_STATUS, COUNT_MOVING_RUNS, RECENT_RUNS } from '../sql/run-stats.js';
import { Sql, type Statement } from '../sql.js';

/** Each is found by an index of its own, however long the history is. */
const INDEXED = ['QUEUED', 'WAITING_CALLBACK', 'RETRYING', 'COMPLETED', 'PENDING'] as const satisfies RunStatus[];
const MOVING = ['SCHEDULED', 'RUNNING'] as const satisfies RunStatus[];

export const OPEN_STATUSES = [...MOVING, ...INDEXED] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

/** More than this are not counted. */
export const MOST_COUNTED = 10_000;
const MOST_ALARMS = 20_000;

export interface OpenRuns {
  counts: Record<OpenStatus, number>;
  /** SCHEDULED runs that start later and are not admitted yet; not among the others. */
  ahead: number;
  /** What there may be more of than was counted. */
  atLeast: (OpenStatus | 'ahead')[];
}

/** How many of a tenant's runs are not over: what this costs has a limit, whatever there is. */
export async function openRunsOf(database: Database, tenantId: string): Promise<OpenRuns> {
  const counts = Object.fromEntries(OPEN_STATUSES.map((status) => [status, 0])) as Record<OpenStatus, number>;
  for (const status of INDEXED) counts[status] = await count(database, COUNT_IN_STATUS, tenantId, status, MOST_COUNTED);
  const ahead = await count(database, COUNT_COLD_RUNS, tenantId, MOST_COUNTED);
  const sql = Sql.on(database);
  const moving = await sql.rows<{ status: OpenStatus; runs: number | bigint }>(
    COUNT_MOVING_RUNS,
    MOST_ALARMS,
    tenantId,
  );
  for (const { status, runs } of moving) counts[status] = Number(runs);
  const isCut = (await count(database, COUNT_ALARMS, MOST_ALARMS)) >= MOST_ALARMS;
  const atLeast = [
    ...(isCut ? MOVING : []),
    ...INDEXED.filter((status) => counts[status] >= MOST_COUNTED),
    ...(ahead >= MOST_COUNTED ? (['ahead'] as const) : []),
  ];
  return { counts, ahead, atLeast };
}

async function count(database: Database, statement: Statement, ...values: unknown[]): Promise<number> {
  const [{ runs }] = await Sql.on(database).rows<{ runs: number | bigint }>(statement, ...values);
  return Number(runs);
}

interface RecentRow {
  status: RunStatus;
  trigger: RunTrigger;
  scheduled_time: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

/** A tenant's newest runs that were due since a time, at most so many. Times are epoch milliseconds. */
export async function recentRuns(
  database: Database,
  tenantId: string,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<RecentRun[]> {
  const ids = [from, to + 1000].map((time) => firstIdOfSecond(Math.floor(time / 1000)));
  const rows = await Sql.on(database).rows<RecentRow>(RECENT_RUNS, tenantId, tenantId, ...ids, limit);
  return rows.map((row) => ({
    status: row.status,
    trigger: row.trigger,
    scheduledTime: row.scheduled_time.getTime(),
    startedAt: row.started_at?.getTime() ?? null,
    finishedAt: row.finished_at?.getTime() ?? null,
  }));
}
