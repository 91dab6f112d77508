import {
  DEFAULT_CALLBACK_TIMEOUT_SEC,
  type HeaderValues,
  type Notify,
  type RetryPolicy,
  type TaskDefinition,
} from '#domain';
import { Prisma, type Task, type TaskRun, type TaskState, type TaskTag } from '../generated/postgresql/client.js';

export type LastRun = Pick<TaskRun, 'id' | 'status' | 'scheduledTime' | 'finishedAt'>;

/** A task as it is read: its row, its tags in the order they were given, and its newest run. */
export interface StoredTask {
  row: Task & Pick<TaskState, 'nextFireAt' | 'activeRuns' | 'queuedRuns' | 'lastRunId'>;
  tags: string[];
  lastRun: LastRun | null;
}

export type TaskWithParts = Task & { tags: TaskTag[]; state: TaskState | null };

export const WITH_PARTS = { tags: { orderBy: { position: 'asc' } }, state: true } as const satisfies Prisma.TaskInclude;

export function storedTask({ tags, state, ...row }: TaskWithParts, lastRun: LastRun | null = null): StoredTask {
  const { nextFireAt, activeRuns, queuedRuns, lastRunId } = state ?? FRESH;
  return { row: { ...row, nextFireAt, activeRuns, queuedRuns, lastRunId }, tags: tags.map(({ tag }) => tag), lastRun };
}

const FRESH = { nextFireAt: null, activeRuns: 0, queuedRuns: 0, lastRunId: null };

/** What the user said, as columns. The tags have a table of their own. */
export function columnsOf(task: TaskDefinition, cronExpr: string | null) {
  const { tags: _tags, headersJson, retryPolicyJson, notify, callbackTimeoutSec, ...same } = task;
  return {
    ...same,
    liveName: task.name,
    cronExpr,
    type: cronExpr === null ? 'on_demand' : 'cron',
    headersJson: headersJson === null ? Prisma.DbNull : storedHeaders(headersJson),
    retryPolicyJson: retryPolicyJson as object,
    notify: notify === null ? Prisma.DbNull : storedNotify(notify),
    callbackTimeoutSec: callbackTimeoutSec ?? DEFAULT_CALLBACK_TIMEOUT_SEC,
  };
}

/** A secret key is never stored as it was given, whatever has become of sealing it. */
function storedNotify({ security, ...targets }: Notify): object {
  if (security === undefined) return targets;
  const { sk: _sk, ...kept } = security;
  return { ...targets, security: kept };
}

/** Nor is a header that was marked secret. */
function storedHeaders(headers: HeaderValues): object {
  const open = Object.keys(headers).find((name) => typeof headers[name] === 'object' && 'secret' in headers[name]);
  if (open !== undefined) throw new Error(`header ${open} is to be stored without having been sealed`);
  return headers;
}

export function tagRows(tenantId: string, tags: readonly string[]) {
  return tags.map((tag, position) => ({ tenantId, tag, position }));
}

/** The words of the closed sets were checked on their way in, and by the database. */
export function definitionOf({ row, tags }: StoredTask): TaskDefinition {
  return {
    ...(row as unknown as TaskDefinition),
    tags,
    headersJson: row.headersJson as HeaderValues | null,
    retryPolicyJson: row.retryPolicyJson as unknown as RetryPolicy,
    notify: row.notify as Notify | null,
  };
}
