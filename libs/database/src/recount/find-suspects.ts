import { type ConcurrencyPolicy, type Counters, diagnose } from '#domain';
import type { Database } from '../client.js';
import { PAGE_OF_STATES, STATELESS_TASKS, TELLING_STATES } from '../sql/recount.js';
import type { Sql } from '../sql.js';
import { countRuns, type RunCounts } from './run-counts.js';

const PAGE = 5_000;
const LAST_ID = 9_223_372_036_854_775_807n;

export interface SearchOptions {
  /** Only tasks with a higher id. */
  after?: bigint;
  /** How many tasks to go through; all by default. */
  most?: number;
  /** Hears how many tasks have been gone through. */
  progress?: (tasks: number) => void;
}

export interface Search {
  /** Tasks gone through, and unfinished runs counted, of all tasks. */
  tasks: number;
  runs: number;
  suspects: bigint[];
  /** Where to go on; null when there is no task behind. */
  next: bigint | null;
}

interface StateRow {
  task_id: bigint;
  active_runs: number;
  queued_runs: number;
  deleted: boolean | number;
  max_concurrency: number;
  concurrency_policy: ConcurrencyPolicy;
  remembers_wrong: boolean | number;
}

interface PageRow {
  last: bigint | null;
  tasks: bigint | number;
}

/**
 * Tasks whose state does not fit their runs. Locks nothing, and reads everything as it was at one moment, so that a task that
 * is merely busy does not look wrong.
 */
export function findSuspects(database: Database, options: SearchOptions = {}): Promise<Search> {
  return database.driver.snapshot(async (sql) => {
    const counts = await countRuns(sql);
    return searchStates(sql, counts, options);
  });
}

async function searchStates(sql: Sql, counts: RunCounts, options: SearchOptions): Promise<Search> {
  const { after = 0n, most = Infinity, progress } = options;
  const search: Search = { tasks: 0, runs: counts.runs, suspects: [], next: after };
  let end = after;
  while (search.next !== null && search.tasks < most) {
    const size = Math.min(PAGE, most - search.tasks);
    const [{ last, tasks }] = await sql.rows<PageRow>(PAGE_OF_STATES, search.next, size);
    const isLastPage = last === null || Number(tasks) < size;
    end = isLastPage ? LAST_ID : last;
    search.suspects.push(...(await suspectsIn(sql, counts, search.next, end)));
    search.tasks += Number(tasks);
    search.next = isLastPage ? null : last;
    progress?.(search.tasks);
  }
  const unheard = [...counts.ofTask.keys(), ...counts.withoutAlarm].filter((id) => id > after && id <= end);
  return { ...search, suspects: ascending([...search.suspects, ...unheard]) };
}

/** Strikes those it has compared off the counts: what is left there belongs to tasks that say they have no runs. */
async function suspectsIn(sql: Sql, counts: RunCounts, from: bigint, to: bigint): Promise<bigint[]> {
  const states = await sql.rows<StateRow>(TELLING_STATES, from, to);
  const wrong = states.filter((state) => isWrong(state, counts.ofTask.get(state.task_id)));
  for (const state of states) counts.ofTask.delete(state.task_id);
  const stateless = await sql.rows<{ id: bigint }>(STATELESS_TASKS, from, to);
  return [...wrong.map((state) => state.task_id), ...stateless.map((task) => task.id)];
}

const ascending = (ids: bigint[]): bigint[] => [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));

/** A run without an alarm was not counted, and shows as a counter that is too high. */
function isWrong(state: StateRow, counted: Counters = { active: 0, queued: 0 }): boolean {
  const problems = diagnose({
    deleted: Boolean(state.deleted),
    maxConcurrency: state.max_concurrency,
    concurrencyPolicy: state.concurrency_policy,
    stored: { active: state.active_runs, queued: state.queued_runs },
    counted,
    asleep: [],
    remembersWrong: Boolean(state.remembers_wrong),
  });
  return problems.length > 0;
}
