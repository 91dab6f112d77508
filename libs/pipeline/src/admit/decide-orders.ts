import { randomBytes } from 'node:crypto';
import type { NewRun, TaskAdvance, TaskFacts } from '#database';
import {
  admit,
  type DemandVerdict,
  demandSuffix,
  isCold,
  LOST_AFTER_MS,
  onDemandRunId,
  type RunTrigger,
  startBefore,
  startsAt,
} from '#domain';
import { Tally } from './tally.js';

/** One run that somebody asks for. */
export interface RunOrder {
  taskId: bigint;
  trigger: Extract<RunTrigger, 'MANUAL' | 'API' | 'REPLAY'>;
  traceId: string;
  payload?: unknown;
  startTime?: Date;
  priority?: number;
  creator?: string;
  attemptTimeoutSeconds?: number;
}

/** What becomes of it: admitted as any other run, or cold, which asks for no slot yet and stands in nobody's way. */
export type OrderVerdict = DemandVerdict | { kind: 'cold' };

/** What a group of orders becomes: a run for each, or null where there is no such task, and how the tasks move. */
export interface OrdersDecision {
  runs: (NewRun | null)[];
  advances: TaskAdvance[];
}

/** Each order sees its task as those before it leave it. `now` is epoch milliseconds. */
export function decideOrders(
  tasks: ReadonlyMap<bigint, TaskFacts>,
  orders: readonly RunOrder[],
  now: number,
): OrdersDecision {
  const tally = new Tally(tasks, now);
  const runs = orders.map((order, place) => {
    const task = tally.facts(order.taskId);
    if (task === undefined) return null;
    const at = startsAt(order.startTime?.getTime(), now);
    const verdict: OrderVerdict = isCold(at, now, task) ? { kind: 'cold' } : admit(task, 'on_demand');
    const run = runOf(task, verdict, order, { at, now, place });
    if (verdict.kind !== 'cold') tally.count(task, verdict, run.id);
    return run;
  });
  return { runs, advances: tally.advances() };
}

const STATUSES = { run: 'SCHEDULED', cold: 'SCHEDULED', queue: 'QUEUED', skip: 'SKIPPED' } as const;

interface When {
  at: number;
  now: number;
  place: number;
}

function runOf(task: TaskFacts, verdict: OrderVerdict, order: RunOrder, { at, now, place }: When): NewRun {
  const skipped = verdict.kind === 'skip';
  const suffix = demandSuffix({ startsAt: at, askedAt: now, place, random: randomBytes(3).toString('hex') });
  return {
    id: onDemandRunId(Math.floor(at / 1000), task.id, suffix),
    tenantId: task.tenantId,
    taskId: task.id,
    taskName: task.name,
    trigger: order.trigger,
    category: task.category,
    creator: order.creator ?? task.creator,
    priority: order.priority ?? task.priority,
    executor: task.executor,
    status: STATUSES[verdict.kind],
    skipReason: skipped ? verdict.reason : null,
    missedFrom: null,
    missedCount: null,
    scheduledTime: at,
    startBefore: startBefore(at, task.maxLatenessSeconds),
    queuedAt: now,
    dueAt: at,
    finishedAt: skipped ? now : null,
    wakeAt: verdict.kind === 'run' ? at + LOST_AFTER_MS : null,
    maxAttempts: maxAttemptsOf(task),
    tickAttempt: 1,
    attemptTimeoutSeconds: order.attemptTimeoutSeconds ?? null,
    payload: order.payload,
    traceId: order.traceId,
  };
}

export const maxAttemptsOf = ({ retryPolicy }: Pick<TaskFacts, 'retryPolicy'>): number =>
  retryPolicy.strategy === 'none' ? 1 : (retryPolicy.max_attempts ?? 1);
