import { randomBytes } from 'node:crypto';
import {
  advanceTasks,
  type Clock,
  type Database,
  insertRuns,
  lockTask,
  type NewRun,
  type Session,
  Sql,
  type TaskFacts,
} from '#database';
import { admit, type AdmitVerdict, LOST_AFTER_MS, onDemandRunId, startBefore } from '#domain';
import type { EnqueueRuns } from '../enqueue/enqueue-runs.js';

export interface TriggerInput {
  tenantId: string;
  taskId: bigint;
  trigger: 'MANUAL' | 'API';
  traceId: string;
  payload?: unknown;
  startTime?: Date;
  priority?: number;
  creator?: string;
  attemptTimeoutSeconds?: number;
}

/** A run on demand, under the task's concurrency policy like any other. */
export class TriggerRun {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly enqueue: EnqueueRuns,
  ) {}

  /**
   * Admits the run inside the caller's transaction; null when there is no such task. The caller tells the queue with
   * `announce` once it has committed.
   */
  async admit(session: Session, input: TriggerInput): Promise<NewRun | null> {
    const sql = Sql.on(this.database, session);
    const task = await lockTask(sql, input.tenantId, input.taskId);
    if (!task) return null;
    const verdict = admit(task, 'on_demand');
    const run = runOf(task, verdict, input, this.clock.now());
    await insertRuns(sql, [run]);
    await advanceTasks(sql, [
      {
        id: task.id,
        nextFireAt: task.nextFireAt,
        active: verdict.kind === 'run' ? 1 : 0,
        queued: verdict.kind === 'queue' ? 1 : 0,
        lastRunId: run.id,
      },
    ]);
    return run;
  }

  async announce(run: NewRun): Promise<void> {
    if (run.status === 'SCHEDULED') await this.enqueue.add([run]);
  }
}

function runOf(task: TaskFacts, verdict: AdmitVerdict, input: TriggerInput, now: number): NewRun {
  const skipped = verdict.kind === 'skip';
  const scheduledTime = Math.max(now, input.startTime?.getTime() ?? 0);
  // Who waits is let in by id: within a second, too, ids sort by time, to the microsecond.
  const micros = Math.floor((scheduledTime % 1000) * 1000);
  const suffix = String(micros).padStart(6, '0') + randomBytes(5).toString('hex');
  return {
    id: onDemandRunId(Math.floor(scheduledTime / 1000), task.id, suffix),
    tenantId: task.tenantId,
    taskId: task.id,
    taskName: task.name,
    trigger: input.trigger,
    category: task.category,
    creator: input.creator ?? task.creator,
    priority: input.priority ?? task.priority,
    status: skipped ? 'SKIPPED' : verdict.kind === 'queue' ? 'QUEUED' : 'SCHEDULED',
    skipReason: skipped ? verdict.reason : null,
    missedFrom: null,
    missedCount: null,
    scheduledTime,
    startBefore: startBefore(scheduledTime, task.maxLatenessSeconds),
    queuedAt: now,
    dueAt: scheduledTime,
    finishedAt: skipped ? now : null,
    wakeAt: verdict.kind === 'run' ? scheduledTime + LOST_AFTER_MS : null,
    maxAttempts: task.retryPolicy.strategy === 'none' ? 1 : (task.retryPolicy.max_attempts ?? 1),
    tickAttempt: verdict.tickAttempt,
    attemptTimeoutSeconds: input.attemptTimeoutSeconds ?? null,
    payload: input.payload,
    traceId: input.traceId,
  };
}
