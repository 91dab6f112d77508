import { createHash, randomUUID } from 'node:crypto';
import { LOST_AFTER_MS, type RunTrigger } from '#domain';
import type { Database } from '../client.js';
import type { Driver } from '../driver.js';
import { isLockWait, isUnanswered } from '../errors.js';
import { CLAIM_RUNS, claimOnMySql, FREE_RUNS } from '../sql/claim-runs.js';
import { sqlTime } from '../sql-time.js';
import { SEPARATOR, textColumn } from '../text-columns.js';
import { retried } from '../transaction.js';
import type { Execution } from './keep-leases.js';

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

/** The claim was sent and not answered: perhaps the runs are ours, under these executions. */
export class ClaimInDoubt extends Error {
  constructor(
    readonly executions: readonly Execution[],
    cause: unknown,
  ) {
    super(`a claim was not answered: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export interface Claimant {
  node: string;
  now: number;
  leaseMs: number;
}

/**
 * Takes those of the runs that are still to be executed, are due, and may still start; the others are not in the answer. Nor is a run
 * that somebody holds for longer than is waited for it: it must not keep the others from being called.
 */
export async function claimRuns(database: Database, ids: readonly string[], by: Claimant): Promise<ClaimedRun[]> {
  if (ids.length === 0) return [];
  const sorted = [...ids].sort();
  const askedAt = performance.now();
  try {
    return await claim(database, sorted, by);
  } catch (error) {
    if (!isLockWait(error)) throw error;
    const free = await database.driver.rows<{ id: string }>(FREE_RUNS, JSON.stringify(sorted));
    if (free.length === 0) return [];
    const now = by.now + Math.round(performance.now() - askedAt);
    return claim(database, free.map(({ id }) => id).sort(), { ...by, now });
  }
}

async function claim({ dialect, driver }: Database, ids: string[], by: Claimant): Promise<ClaimedRun[]> {
  const [now, leaseEnd] = [sqlTime(by.now), sqlTime(by.now + by.leaseMs)];
  const limits: Limits = [sqlTime(by.now + EARLY_MS + LOST_AFTER_MS), now];
  const { send, execIds } = (dialect === 'mysql' ? byMark : atOnce)(driver, ids, [by.node, now, leaseEnd], limits);
  const rows = await retried(send).catch((error: unknown) => {
    if (!isUnanswered(error)) throw error;
    const made = execIds();
    const executions = ids.map((id, i) => ({ id, execId: made[i] }));
    throw new ClaimInDoubt(executions, error);
  });
  return rows.map(({ run }) => readClaimedRun(run));
}

type Values = [node: string, now: string, leaseEnd: string];
type Limits = [soon: string, now: string];

/** However often it is sent, the executions are the same: what the first try has taken the next one finds. */
interface Claim {
  send: () => Promise<ClaimedRow[]>;
  /** Of its runs, in their order. */
  execIds: () => string[];
}

function atOnce(driver: Driver, ids: string[], values: Values, limits: Limits): Claim {
  const execIds = ids.map(() => randomUUID());
  const columns = [textColumn(ids), textColumn(execIds)];
  return { send: () => driver.rows<ClaimedRow>(CLAIM_RUNS, ...columns, ...values, ...limits), execIds: () => execIds };
}

/** A worker that is full has nothing to call while it waits for a claim: so it waits for both statements at once. */
function byMark(driver: Driver, ids: string[], [node, now, leaseEnd]: Values, limits: Limits): Claim {
  const { take, read } = claimOnMySql(ids.length);
  const mark = randomUUID();
  const send = () =>
    driver.runThenRows<ClaimedRow>(
      { statement: take, values: [mark, node, now, now, leaseEnd, ...ids, ...limits] },
      { statement: read, values: [...ids, mark] },
    );
  return { send, execIds: () => ids.map((id) => markedExecId(mark, id)) };
}

/** What MySQL makes of the mark and a run. */
export function markedExecId(mark: string, runId: string): string {
  const digits = createHash('sha256').update(`${mark}${runId}`).digest('hex').slice(0, 32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
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
