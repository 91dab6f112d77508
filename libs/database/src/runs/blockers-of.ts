import { firstIdAfterHotOnes, type RunStatus, type SkipReason } from '#domain';
import { BLOCKING_RUNS } from '../sql/blocking-runs.js';
import type { Sql } from '../sql.js';

interface DecidedRun {
  id: string;
  taskId: bigint;
  status: RunStatus;
  skipReason: SkipReason | null;
}

const BLOCKED: ReadonlySet<SkipReason | null> = new Set<SkipReason>(['OVERLAP', 'CONCURRENCY', 'QUEUE_FULL']);

/**
 * For each run that is skipped because of another: which one that is, by run id. Asks the database only when there is such a
 * run; the counters must not have been moved by these runs yet.
 */
export async function blockersOf(
  sql: Sql,
  runs: readonly DecidedRun[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const blocked = runs.filter((run) => BLOCKED.has(run.skipReason));
  if (blocked.length === 0) return NONE;
  const stored = await blockingRuns(sql, new Set(blocked.map((run) => run.taskId)), now);
  const admitted = firstAdmitted(runs);
  const blockerOf = (taskId: bigint) => stored.get(taskId) ?? admitted.get(taskId);
  return new Map(blocked.map((run) => [run.id, blockerOf(run.taskId)]).filter(isNamed));
}

const NONE: ReadonlyMap<string, string> = new Map();
const isNamed = (entry: (string | undefined)[]): entry is [string, string] => entry[1] !== undefined;

async function blockingRuns(sql: Sql, taskIds: ReadonlySet<bigint>, now: number): Promise<Map<bigint, string>> {
  const rows = await sql.rows<{ task_id: bigint; id: string | null }>(
    BLOCKING_RUNS,
    firstIdAfterHotOnes(now),
    JSON.stringify([...taskIds].map(String)),
  );
  return new Map(rows.flatMap(({ task_id, id }) => (id === null ? [] : [[BigInt(task_id), id] as const])));
}

/** The blocker may be among the runs themselves: the first of several seconds that are admitted together. */
function firstAdmitted(runs: readonly DecidedRun[]): Map<bigint, string> {
  const admitted = new Map<bigint, string>();
  for (const { taskId, status, id } of runs) {
    if (status !== 'SKIPPED' && !admitted.has(taskId)) admitted.set(taskId, id);
  }
  return admitted;
}
