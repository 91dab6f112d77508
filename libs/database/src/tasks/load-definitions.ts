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
import { idList } from '../id-list.js';
import { READ_DEFINITIONS } from '../sql/read-definitions.js';
import { fromJson } from '../sql-time.js';
import { Sql } from '../sql.js';

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

interface DefinitionRow {
  id: bigint;
  tenant_id: string;
  version: number;
  name: string;
  executor: Executor;
  exec_type: ExecType;
  http_method: HttpMethod;
  target_url: string | null;
  headers_json: unknown;
  body_template: string | null;
  command: string | null;
  timeout_seconds: number;
  retry_policy_json: unknown;
  log_mode: LogMode;
  need_manual: boolean | number;
  on_node_lost: OnNodeLost;
  callback_timeout_sec: number;
  heartbeat_timeout_sec: number | null;
  notify: unknown;
}

export async function loadDefinitions(database: Database, ids: readonly bigint[]): Promise<TaskDefinition[]> {
  const rows = await Sql.on(database).rows<DefinitionRow>(READ_DEFINITIONS, idList(ids));
  return rows.map(definitionOf);
}

/** Field by field: objects that are spread out each get a shape of their own, and every run looks into them a dozen times. */
function definitionOf(row: DefinitionRow): TaskDefinition {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    version: row.version,
    name: row.name,
    executor: row.executor,
    execType: row.exec_type,
    httpMethod: row.http_method,
    targetUrl: row.target_url,
    headers: (fromJson(row.headers_json) ?? {}) as HeaderValues,
    bodyTemplate: row.body_template,
    command: row.command,
    timeoutSeconds: row.timeout_seconds,
    retryPolicy: fromJson(row.retry_policy_json) as RetryPolicy,
    logMode: row.log_mode,
    needManual: Boolean(row.need_manual),
    onNodeLost: row.on_node_lost,
    callbackTimeoutSec: row.callback_timeout_sec,
    heartbeatTimeoutSec: row.heartbeat_timeout_sec,
    notify: targetsOf(fromJson(row.notify) as Notify | null),
  };
}

/** Without the keys, which only a sender needs, and without what tells nobody. */
function targetsOf(notify: Notify | null): NotifyTargets | null {
  const { success, error, security } = notify ?? {};
  if (!success && !error) return null;
  return { success, error, ...(security ? { security: { type: security.type } } : {}) };
}
