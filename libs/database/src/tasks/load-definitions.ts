import type {
  ExecType,
  Executor,
  HeaderValues,
  HttpMethod,
  LogMode,
  Notify,
  NotifyTargets,
  OnNodeLost,
  RetryPolicy,
} from '#domain';
import type { Database } from '../client.js';
import { fromJson } from '../sql-time.js';

/** What executing a run of the task needs to know. */
export interface TaskDefinition {
  id: bigint;
  tenantId: string;
  version: number;
  name: string;
  executor: Executor;
  execType: ExecType;
  httpMethod: HttpMethod;
  targetUrl: string | null;
  /** Secret ones as they are stored. */
  headers: HeaderValues;
  bodyTemplate: string | null;
  command: string | null;
  timeoutSeconds: number;
  retryPolicy: RetryPolicy;
  logMode: LogMode;
  needManual: boolean;
  onNodeLost: OnNodeLost;
  callbackTimeoutSec: number;
  heartbeatTimeoutSec: number | null;
  notify: NotifyTargets | null;
}

export async function loadDefinitions(database: Database, ids: readonly bigint[]): Promise<TaskDefinition[]> {
  const rows = await database.client.task.findMany({
    where: { id: { in: [...ids] } },
    select: {
      ...{
        id: true,
        tenantId: true,
        version: true,
        name: true,
        executor: true,
        execType: true,
        httpMethod: true,
        targetUrl: true,
      },
      ...{
        headersJson: true,
        bodyTemplate: true,
        command: true,
        timeoutSeconds: true,
        retryPolicyJson: true,
        logMode: true,
        needManual: true,
        onNodeLost: true,
        callbackTimeoutSec: true,
        heartbeatTimeoutSec: true,
        notify: true,
      },
    },
  });
  // Field by field: objects that are spread out each get a shape of their own, and every run looks into them a dozen times.
  return rows.map((row) => ({
    id: row.id,
    tenantId: row.tenantId,
    version: row.version,
    name: row.name,
    executor: row.executor as Executor,
    execType: row.execType as ExecType,
    httpMethod: row.httpMethod as HttpMethod,
    targetUrl: row.targetUrl,
    headers: (fromJson(row.headersJson) ?? {}) as HeaderValues,
    bodyTemplate: row.bodyTemplate,
    command: row.command,
    timeoutSeconds: row.timeoutSeconds,
    retryPolicy: fromJson(row.retryPolicyJson) as RetryPolicy,
    logMode: row.logMode as LogMode,
    needManual: row.needManual,
    onNodeLost: row.onNodeLost as OnNodeLost,
    callbackTimeoutSec: row.callbackTimeoutSec,
    heartbeatTimeoutSec: row.heartbeatTimeoutSec,
    notify: targetsOf(fromJson(row.notify) as Notify | null),
  }));
}

/** Without the keys, which only a sender needs, and without what tells nobody. */
function targetsOf(notify: Notify | null): NotifyTargets | null {
  const { success, error, security } = notify ?? {};
  if (!success && !error) return null;
  return { success, error, ...(security ? { security: { type: security.type } } : {}) };
}
