import type { RunStatus } from '#domain';
import type { Database } from '../client.js';
import type { TaskRun } from '../generated/postgresql/client.js';
import { RUNS_BY_LABEL } from '../sql/runs-by-label.js';
import { sqlTime } from '../sql-time.js';
import { Sql } from '../sql.js';
import { findRuns } from './find-run.js';
import type { RunListing } from './run-listing.js';

/** Ids are digits, lower-case letters and hyphens: all of them lie between these. */
const [FIRST_ID, BEHIND_ALL_IDS] = ['', '~'];
const [FIRST_TIME, LAST_TIME] = [0, Date.parse('9999-12-31T23:59:59Z')];

export interface IdRange {
  gte?: string;
  lt?: string;
}

export interface Label {
  label: keyof typeof RUNS_BY_LABEL;
  value: string;
}

/**
 * By which label a listing is best walked: who is rarest first. Null where another index is as good or better: that of a task, of a status
 * that has one, or of all runs, among which the everyday ticks are never far.
 */
export function labelOf({ taskId, status, creator, category, trigger }: RunListing): Label | null {
  const hasIndex = taskId !== undefined || (status !== undefined && !EVERYDAY.includes(status));
  if (hasIndex) return null;
  if (creator !== undefined) return { label: 'creator', value: creator };
  if (category !== undefined) return { label: 'category', value: category };
  return trigger === undefined || trigger === 'CRON' ? null : { label: 'trigger', value: trigger };
}

/** Ended well: no index has it. The other everyday statuses are found by their alarms. */
const EVERYDAY: readonly RunStatus[] = ['SUCCESS'];

export async function listLabelledRuns(
  database: Database,
  listing: RunListing,
  label: Label,
  ids: IdRange,
): Promise<TaskRun[]> {
  return findRuns(database.client, await labelledIds(database, listing, label, { ids, statements: RUNS_BY_LABEL }));
}

/** Ids of a page, newest first, from the table that the statements are about. */
export async function labelledIds(
  database: Database,
  listing: RunListing,
  { label, value }: Label,
  { ids, statements }: { ids: IdRange; statements: typeof RUNS_BY_LABEL },
): Promise<string[]> {
  const { tenantId, from, to, trigger, category, creator, status, limit } = listing;
  const walk = [tenantId, tenantId, value, value, ids.gte ?? FIRST_ID, ids.lt ?? BEHIND_ALL_IDS];
  const times = [sqlTime(from ?? FIRST_TIME), sqlTime(to ?? LAST_TIME)];
  const others = [trigger, category, creator, status].map((word) => word ?? null);
  const rows = await Sql.on(database).rows<{ id: string }>(statements[label], ...walk, ...times, ...others, limit);
  return rows.map(({ id }) => id);
}
