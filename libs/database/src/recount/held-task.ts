import type { ConcurrencyPolicy } from '#domain';
import type { LockedTask } from '../runs/free-slots.js';
import { QUEUED_RUNS, RUNS_WITH_ALARM, SLOT_RUNS, TASK_FATE } from '../sql/recount-task.js';
import type { Sql } from '../sql.js';

/** A task as it stands, held still, with its runs counted. */
export interface HeldTask {
  task: LockedTask;
  deleted: boolean;
  slotRuns: SlotRun[];
  queuedRuns: string[];
  asleep: SlotRun[];
}

export interface SlotRun {
  id: string;
  wake_at: Date | null;
}

interface Fate {
  deleted: boolean | number;
  max_concurrency: number;
  concurrency_policy: ConcurrencyPolicy;
}

/** Counts the runs of a task that the caller has locked. */
export async function recount(sql: Sql, locked: LockedTask): Promise<HeldTask> {
  const [{ deleted, ...limits }] = await sql.rows<Fate>(TASK_FATE, locked.id);
  const slotRuns = await sql.rows<SlotRun>(SLOT_RUNS, locked.id);
  const queuedRuns = (await sql.rows<{ id: string }>(QUEUED_RUNS, locked.id)).map((run) => run.id);
  return {
    task: { ...locked, ...limits },
    deleted: Boolean(deleted),
    slotRuns,
    queuedRuns,
    asleep: await asleepAmong(sql, slotRuns),
  };
}

async function asleepAmong(sql: Sql, runs: SlotRun[]): Promise<SlotRun[]> {
  if (runs.length === 0) return [];
  const ids = JSON.stringify(runs.map((run) => run.id));
  const alarmed = new Set((await sql.rows<{ id: string }>(RUNS_WITH_ALARM, ids)).map((run) => run.id));
  return runs.filter((run) => run.wake_at === null || !alarmed.has(run.id));
}
