import type { Counters } from '#domain';
import { ALARMED_RUNS, RUNS_IN_STATUS, TENANTS } from '../sql/recount.js';
import { sqlTime } from '../sql-time.js';
import type { Sql } from '../sql.js';

const PAGE = 5_000;

/** What the runs themselves say, task by task. Everything else there is has ended. */
export interface RunCounts {
  runs: number;
  /** Runs that hold a slot and will be looked at, and runs that wait for one. */
  ofTask: Map<bigint, Counters>;
  /** Tasks with a run that holds a slot, but has no alarm. */
  withoutAlarm: Set<bigint>;
}

interface AlarmRow {
  at: Date;
  run_id: string;
  task_id: bigint | null;
  status: string | null;
  awake: boolean | number;
}

interface RunRow {
  id: string;
  task_id: bigint;
}

const HOLD_A_SLOT = new Set(['SCHEDULED', 'RUNNING', 'WAITING_CALLBACK', 'RETRYING']);

/** Whatever holds a slot has an alarm, and what waits has an index: a history of millions of runs is not looked at. */
export async function countRuns(sql: Sql): Promise<RunCounts> {
  const counts: RunCounts = { runs: 0, ofTask: new Map(), withoutAlarm: new Set() };
  const alarmed = await countAlarmed(sql, counts);
  for (const { tenant_id: tenantId } of await sql.rows<{ tenant_id: string }>(TENANTS)) {
    for await (const run of runsIn(sql, tenantId, 'QUEUED')) count(counts, run.task_id, 'queued');
    for (const status of ['RETRYING', 'WAITING_CALLBACK']) {
      for await (const run of runsIn(sql, tenantId, status))
        if (!alarmed.has(run.id)) counts.withoutAlarm.add(run.task_id);
    }
  }
  return counts;
}

/** A run may have two alarms, and most alarms are those of runs that have ended. */
async function countAlarmed(sql: Sql, counts: RunCounts): Promise<Set<string>> {
  const seen = new Set<string>();
  for await (const { run_id: id, task_id: taskId, status, awake } of alarms(sql)) {
    if (taskId === null || !HOLD_A_SLOT.has(status ?? '') || !awake || seen.has(id)) continue;
    seen.add(id);
    count(counts, taskId, 'active');
  }
  return seen;
}

function count(counts: RunCounts, taskId: bigint, what: keyof Counters): void {
  const task = counts.ofTask.get(taskId) ?? { active: 0, queued: 0 };
  task[what] += 1;
  counts.ofTask.set(taskId, task);
  counts.runs += 1;
}

async function* alarms(sql: Sql): AsyncGenerator<AlarmRow> {
  for (let last = { at: new Date(0), run_id: '' }; ;) {
    const at = sqlTime(last.at);
    const page = await sql.rows<AlarmRow>(ALARMED_RUNS, at, at, last.run_id, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    last = page[page.length - 1];
  }
}

async function* runsIn(sql: Sql, tenantId: string, status: string): AsyncGenerator<RunRow> {
  for (let last = ''; ;) {
    const page = await sql.rows<RunRow>(RUNS_IN_STATUS, tenantId, status, last, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    last = page[page.length - 1].id;
  }
}
