import { DEFAULT_CALLBACK_TIMEOUT_SEC, type Notify, type RetryPolicy, type TaskDefinition } from '#domain';
import { Prisma, type Task, type TaskRun, type TaskTag } from '../generated/postgresql/client.js';

export type LastRun = Pick<TaskRun, 'id' | 'status' | 'scheduledTime' | 'finishedAt'>;

/** A task as it is read: its row, its tags in the order they were given, and its newest run. */
export interface StoredTask {
  row: Task;
  tags: string[];
  lastRun: LastRun | null;
}

export type TaskWithTags = Task & { tags: TaskTag[] };

export const WITH_TAGS = { tags: { orderBy: { position: 'asc' } } } as const satisfies Prisma.TaskInclude;

export function storedTask({ tags, ...row }: TaskWithTags, lastRun: LastRun | null = null): StoredTask {
  return { row, tags: tags.map(({ tag }) => tag), lastRun };
}

/** What the user said, as columns. The tags have a table of their own. */
export function columnsOf(task: TaskDefinition, cronExpr: string | null) {
  const { tags: _tags, headersJson, retryPolicyJson, notify, callbackTimeoutSec, ...same } = task;
  return {
    ...same,
    liveName: task.name,
    cronExpr,
    type: cronExpr === null ? 'on_demand' : 'cron',
    headersJson: headersJson ?? Prisma.DbNull,
    retryPolicyJson: retryPolicyJson as object,
    notify: notify === null ? Prisma.DbNull : (notify as object),
    callbackTimeoutSec: callbackTimeoutSec ?? DEFAULT_CALLBACK_TIMEOUT_SEC,
  };
}

export function tagRows(tenantId: string, tags: readonly string[]) {
  return tags.map((tag, position) => ({ tenantId, tag, position }));
}

/** The words of the closed sets were checked on their way in, and by the database. */
export function definitionOf({ row, tags }: StoredTask): TaskDefinition {
  return {
    ...(row as unknown as TaskDefinition),
    tags,
    headersJson: row.headersJson as Record<string, string> | null,
    retryPolicyJson: row.retryPolicyJson as unknown as RetryPolicy,
    notify: row.notify as Notify | null,
  };
}
