import type { HeldBackfill, NewRun, RunState, TaskFacts } from '#database';
import { type BackfillSecond, type BackfillStep, cronRunId, LOST_AFTER_MS, madeUpRunId, parseSchedule } from '#domain';

/** Most seconds one step looks at. */
const CHUNK = 500;

/**
 * The due seconds that come next. Those the tick has not decided yet are left to it: a row of ours in its way would cost
 * the gap it is about to write down.
 */
export function nextSeconds({ cronExpr, timezone, last, progress }: HeldBackfill, nextFireAt: number | null): number[] {
  const to = nextFireAt === null ? last : Math.min(last, nextFireAt / 1000 - 1);
  return parseSchedule(cronExpr, timezone).between(progress.cursor, to, CHUNK);
}

/** All ids under which a run of these seconds may be on record. */
export const idsOf = (seconds: readonly number[], taskId: bigint): string[] =>
  seconds.flatMap((at) => [cronRunId(at, taskId), madeUpRunId(at, taskId)]);

export function recordOf(at: number, taskId: bigint, states: ReadonlyMap<string, RunState>): BackfillSecond {
  const own = states.get(cronRunId(at, taskId));
  if (own === undefined) return { at, record: 'none' };
  const isMissed = own.skip_reason === 'MISSED' && !states.has(madeUpRunId(at, taskId));
  return { at, record: isMissed ? 'missed' : 'run' };
}

export function runsOf(step: BackfillStep, task: TaskFacts, { traceId }: HeldBackfill, now: number): NewRun[] {
  return step.admitted.map(({ second, verdict }) => ({
    id: second.record === 'missed' ? madeUpRunId(second.at, task.id) : cronRunId(second.at, task.id),
    tenantId: task.tenantId,
    taskId: task.id,
    taskName: task.name,
    trigger: 'BACKFILL',
    category: task.category,
    creator: task.creator,
    priority: task.priority,
    executor: task.executor,
    status: verdict.kind === 'queue' ? 'QUEUED' : 'SCHEDULED',
    skipReason: null,
    missedFrom: null,
    missedCount: null,
    scheduledTime: second.at * 1000,
    queuedAt: now,
    dueAt: now,
    finishedAt: null,
    wakeAt: verdict.kind === 'run' ? now + LOST_AFTER_MS : null,
    maxAttempts: task.retryPolicy.strategy === 'none' ? 1 : (task.retryPolicy.max_attempts ?? 1),
    tickAttempt: 1,
    attemptTimeoutSeconds: null,
    payload: undefined,
    traceId,
  }));
}
