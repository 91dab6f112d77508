import type { DueTask, NewRun, Replacement, TaskAdvance } from '#database';
import {
  admit,
  type AdmitVerdict,
  countVerdict,
  CronError,
  cronRunId,
  isLate,
  jitterMs,
  LOST_AFTER_MS,
  parseSchedule,
  plan,
  type PlannedTick,
  skipped,
  startBefore,
  UNTOLD_AFTER_MS,
} from '#domain';

export interface TickSettings {
  /** A tick up to this late still runs, whatever the catch-up mode. */
  graceSeconds: number;
  /** Most ticks of one task that FULL brings back in one pass. */
  catchUpChunk: number;
  /** Due seconds are looked for less often than every second: see `PlanInput.sampling`. */
  sampling?: boolean;
}

export interface BatchDecision {
  runs: NewRun[];
  /** Tasks whose other unfinished runs are cancelled, also those among `runs`, because a newer one takes their place. */
  replacements: Replacement[];
  advances: TaskAdvance[];
  /** Tasks with more to catch up than one pass brings back: they are due still, and have to wait for the next second. */
  heldBack: bigint[];
  /** Tasks whose stored schedule cannot be read: they are taken off the clock, and a person must hear of it. */
  unreadable: { task: DueTask; reason: string }[];
}

/** What is the same for all tasks of a batch. Times are epoch milliseconds. */
export interface BatchInput {
  /** When the scheduler came by: what is due by then, and how late it is. */
  now: number;
  /** When it is written down. */
  at: number;
  settings: TickSettings;
  newTraceId: () => string;
  /** Ids of runs that are there already: their seconds are left as they are. */
  existing?: ReadonlySet<string>;
}

/** Everything one tick transaction writes, worked out before the first byte of it is sent. */
export function decideBatch(tasks: readonly DueTask[], input: BatchInput): BatchDecision {
  const decision: BatchDecision = { runs: [], replacements: [], advances: [], heldBack: [], unreadable: [] };
  for (const task of tasks) {
    try {
      decideTask(task, input, decision);
    } catch (error) {
      if (!(error instanceof CronError)) throw error;
      decision.unreadable.push({ task, reason: error.message });
      decision.advances.push({ id: task.id, nextFireAt: null, active: 0, queued: 0, lastRunId: null });
    }
  }
  return decision;
}

/** The runs the queue is told of: what is to be executed and was not replaced in the same breath. */
export function dispatchable({ runs, replacements }: BatchDecision): NewRun[] {
  const scheduled = runs.filter((run) => run.status === 'SCHEDULED');
  if (replacements.length === 0) return scheduled;
  const newest = new Map(replacements.map(({ taskId, by }) => [taskId, by]));
  return scheduled.filter((run) => run.id >= (newest.get(run.taskId) ?? ''));
}

function decideTask(task: DueTask, input: BatchInput, decision: BatchDecision): void {
  const { now, at, settings, newTraceId, existing } = input;
  const { ticks, nextFireAt } = planTask(task, now, settings);
  let facts = task;
  let replacedBy: string | null = null;
  for (const tick of ticks) {
    const id = cronRunId(tick.at, task.id);
    if (existing?.has(id)) continue;
    const verdict = verdictOf(facts, tick, now);
    facts = countVerdict(facts, verdict);
    if (verdict.kind === 'replace') replacedBy = id;
    decision.runs.push(runOf(task, tick, verdict, at, newTraceId()));
  }
  if (replacedBy !== null) decision.replacements.push(replacementOf(task, replacedBy, decision.runs));
  if (nextFireAt !== null && nextFireAt * 1000 <= now) decision.heldBack.push(task.id);
  decision.advances.push({
    id: task.id,
    nextFireAt: nextFireAt === null ? null : nextFireAt * 1000,
    active: facts.activeRuns - task.activeRuns,
    queued: facts.queuedRuns - task.queuedRuns,
    lastRunId: ticks.length > 0 ? cronRunId(ticks[ticks.length - 1].at, task.id) : null,
    failureSkipped: facts.failureSkipped,
  });
}

function replacementOf({ id, activeRuns, queuedRuns, lastRunId }: DueTask, by: string, runs: NewRun[]): Replacement {
  const inBatch = runs
    .filter((run) => run.taskId === id && run.status !== 'SKIPPED' && run.id < by)
    .map((run) => run.id);
  return { taskId: id, by, inBatch, stored: activeRuns + queuedRuns, likely: lastRunId };
}

/** What is missed, or late before it begins, asks for no slot and stands in nobody's way. */
function verdictOf(task: DueTask, tick: PlannedTick, now: number): AdmitVerdict {
  if (tick.kind === 'missed') return skipped(task, 'MISSED');
  if (isLate(startBefore(dueAtOf(task, tick), task.maxLatenessSeconds), now)) return skipped(task, 'LATE');
  return admit(task, 'cron');
}

const dueAtOf = (task: DueTask, { at }: PlannedTick): number => at * 1000 + jitterMs(task.id, at, task.jitterSeconds);

function planTask(task: DueTask, now: number, settings: TickSettings) {
  return plan({
    schedule: parseSchedule(task.cronExpr, task.timezone),
    cursor: task.nextFireAt / 1000,
    now: now / 1000,
    mode: task.catchUpMode,
    limit: task.catchUpLimit,
    graceSeconds: settings.graceSeconds,
    sampling: settings.sampling,
    startAt: task.startAt === null ? undefined : task.startAt / 1000,
    endAt: task.endAt === null ? undefined : task.endAt / 1000,
    chunk: settings.catchUpChunk,
  });
}

/** What is admitted ahead is told to the queue in its second, by a process that may be gone by then: it is looked at sooner. */
const wakeAtOf = (tick: PlannedTick, dueAt: number, now: number): number =>
  tick.at * 1000 > now ? dueAt + UNTOLD_AFTER_MS : Math.max(now, dueAt) + LOST_AFTER_MS;

function runOf(task: DueTask, tick: PlannedTick, verdict: AdmitVerdict, now: number, traceId: string): NewRun {
  const isSkipped = verdict.kind === 'skip';
  const dueAt = dueAtOf(task, tick);
  return {
    id: cronRunId(tick.at, task.id),
    tenantId: task.tenantId,
    taskId: task.id,
    taskName: task.name,
    trigger: tick.kind === 'run' ? tick.trigger : 'CRON',
    category: task.category,
    creator: task.creator,
    priority: task.priority,
    executor: task.executor,
    status: isSkipped ? 'SKIPPED' : verdict.kind === 'queue' ? 'QUEUED' : 'SCHEDULED',
    skipReason: isSkipped ? verdict.reason : null,
    blockedBy: isSkipped && verdict.reason === 'FAILURE' ? task.lastEndedRunId : null,
    missedFrom: tick.missedFrom === undefined ? null : tick.missedFrom * 1000,
    missedCount: tick.missedCount ?? null,
    scheduledTime: tick.at * 1000,
    startBefore: tick.kind === 'run' ? startBefore(dueAt, task.maxLatenessSeconds) : null,
    queuedAt: now,
    dueAt,
    finishedAt: isSkipped ? now : null,
    wakeAt: isSkipped || verdict.kind === 'queue' ? null : wakeAtOf(tick, dueAt, now),
    maxAttempts: task.retryPolicy.strategy === 'none' ? 1 : (task.retryPolicy.max_attempts ?? 1),
    tickAttempt: verdict.tickAttempt,
    attemptTimeoutSeconds: null,
    payload: undefined,
    traceId,
  };
}
