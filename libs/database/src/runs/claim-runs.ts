import { randomUUID } from 'node:crypto';
import { LOST_AFTER_MS, type RunTrigger } from '#domain';
import type { Database } from '../client.js';
import type { Driver } from '../driver.js';
import { CLAIM_RUNS, claimOnMySql } from '../sql/claim-runs.js';
import { sqlTime } from '../sql-time.js';
import { SEPARATOR, textColumn } from '../text-columns.js';
import { retried } from '../transaction.js';

/** One execution, claimed: from here on its `execId` is the only one that may settle the run. */
export interface ClaimedRun {
  id: string;
  tenantId: string;
  taskId: bigint;
  taskName: string;
  taskVersion: number;
  trigger: RunTrigger;
  scheduledTime: number;
  /** When it was admitted. */
  queuedAt: number;
  attempt: number;
  tickAttempt: number;
  maxAttempts: number;
  priority: number;
  execId: string;
  attemptTimeoutSeconds: number | null;
  payload: unknown;
  traceId: string;
}

interface ClaimedRow {
  run: string;
}

/** A retry may be claimed this much before its time: whoever waits for it may wake a little early. */
const EARLY_MS = 1_000;

/** Takes those of the runs that are still to be executed, are due, and may still start; the others are not in the answer. */
export async function claimRuns(
  database: Database,
  ids: readonly string[],
  by: { node: string; now: number; leaseMs: number },
): Promise<ClaimedRun[]> {
  if (ids.length === 0) return [];
  const claim = database.dialect === 'mysql' ? claimByMark : claimAtOnce;
  const [now, leaseEnd] = [sqlTime(by.now), sqlTime(by.now + by.leaseMs)];
  const limits: Limits = [sqlTime(by.now + EARLY_MS + LOST_AFTER_MS), now];
  const rows = await claim(database.driver, [...ids].sort(), [by.node, now, leaseEnd], limits);
  return rows.map(({ run }) => readClaimedRun(run));
}

type Claim = [node: string, now: string, leaseEnd: string];
type Limits = [soon: string, now: string];

function claimAtOnce(driver: Driver, ids: string[], claim: Claim, limits: Limits): Promise<ClaimedRow[]> {
  const columns = [textColumn(ids), textColumn(ids.map(() => randomUUID()))];
  return retried(() => driver.rows<ClaimedRow>(CLAIM_RUNS, ...columns, ...claim, ...limits));
}

/** A worker that is full has nothing to call while it waits for a claim: so it waits for both statements at once. */
function claimByMark(driver: Driver, ids: string[], claim: Claim, limits: Limits): Promise<ClaimedRow[]> {
  const { take, read } = claimOnMySql(ids.length);
  // The same one for every try: what the first has taken the next one finds.
  const mark = randomUUID();
  return retried(() =>
    driver.runThenRows<ClaimedRow>(
      { statement: take, values: [mark, ...claim, ...ids, ...limits] },
      { statement: read, values: [...ids, mark] },
    ),
  );
}

/** In the order in which the statement tells it. */
export function readClaimedRun(text: string): ClaimedRun {
  const told = text.split(SEPARATOR);
  return {
    id: told[0],
    tenantId: told[1],
    taskId: BigInt(told[2]),
    execId: told[3],
    traceId: told[4],
    trigger: told[5] as RunTrigger,
    scheduledTime: timeOf(told[6]),
    queuedAt: timeOf(told[7]),
    attempt: Number(told[8]),
    tickAttempt: Number(told[9]),
    maxAttempts: Number(told[10]),
    priority: Number(told[11]),
    taskVersion: Number(told[12]),
    attemptTimeoutSeconds: Number(told[13]) || null,
    payload: told[14] === '' ? null : (JSON.parse(told[14]) as unknown),
    taskName: told.length === 16 ? told[15] : told.slice(15).join(SEPARATOR),
  };
}

const timeOf = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
