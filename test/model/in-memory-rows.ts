import type { DueTask, TaskFacts } from '#database';
import { releasable, SLOT_STATUSES, type RunStatus, type SkipReason, UNFINISHED_STATUSES } from '#domain';
import { type Row, retryPolicyOf } from './product.js';
import type { Definition } from './reference-task.js';

export interface MemoryRow extends Row {
  maxAttempts: number;
  execId: string | null;
  wakeAt: number;
}

/** A task's state row and its runs. */
export interface Memory {
  facts: TaskFacts;
  rows: MemoryRow[];
  needManual: boolean;
}

export const holdsSlot = ({ status }: { status: RunStatus }) =>
  (SLOT_STATUSES as readonly RunStatus[]).includes(status);
export const isUnfinished = ({ status }: { status: RunStatus }) =>
  (UNFINISHED_STATUSES as readonly RunStatus[]).includes(status);

export function factsOf(id: bigint, definition: Definition, nextFire: number): DueTask {
  const { overlapAction, failureAction, concurrencyPolicy, maxConcurrency, queueLimit } = definition;
  return {
    ...{ id, tenantId: 'default', name: `task-${id}`, category: null, creator: null },
    ...{ cronExpr: '* * * * * *', timezone: 'UTC', retryPolicy: retryPolicyOf(definition) },
    ...{ overlapAction, failureAction, concurrencyPolicy, maxConcurrency, queueLimit },
    ...{ catchUpMode: definition.catchUpMode, catchUpLimit: definition.catchUpLimit },
    ...{ maxLatenessSeconds: null, startAt: null, endAt: null, jitterSeconds: 0, priority: 0, executor: 'HTTP' },
    ...{ nextFireAt: nextFire * 1000, activeRuns: 0, queuedRuns: 0, lastRunId: null },
    ...{ lastEndedRunId: null, failedTickAttempt: null, failureSkipped: false },
  };
}

const NAMES_ANOTHER: readonly (SkipReason | null)[] = ['OVERLAP', 'CONCURRENCY', 'QUEUE_FULL'];

/** The newest that holds a slot, else the first in line. */
export function blockerOf({ rows }: Memory, reason: SkipReason | null): string | null {
  if (!NAMES_ANOTHER.includes(reason)) return null;
  const blocker = rows.filter(holdsSlot).sort(byId).at(-1) ?? waitingIn(rows).at(0);
  return blocker?.id ?? null;
}

/** The waiting runs that the free slots take. */
export function freeSlots({ facts, rows }: Memory): string[] {
  const next = waitingIn(rows).slice(0, releasable(facts));
  for (const row of next) row.status = 'SCHEDULED';
  facts.activeRuns += next.length;
  facts.queuedRuns -= next.length;
  return next.map((row) => row.id);
}

const waitingIn = (rows: MemoryRow[]) => rows.filter((row) => row.status === 'QUEUED').sort(byId);
export const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
