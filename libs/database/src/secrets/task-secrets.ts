import type { HeaderValues, Notify } from '#domain';
import type { Database } from '../client.js';
import { TASKS_WITH_SECRETS, WRITE_SECRETS } from '../sql/task-secrets.js';
import { fromJson } from '../sql-time.js';
import { Sql } from '../sql.js';
import { retried } from '../transaction.js';

/** What of a task may be secret, as it is stored. */
export interface TaskSecrets {
  id: bigint;
  tenantId: string;
  version: number;
  headers: HeaderValues | null;
  notify: Notify | null;
}

interface SecretsRow {
  id: bigint;
  tenant_id: string;
  version: number;
  headers_json: unknown;
  notify: unknown;
}

/** One page of tasks that have headers or notices, in the order of their ids. */
export async function taskSecretsAfter(database: Database, after: bigint, limit: number): Promise<TaskSecrets[]> {
  const rows = await Sql.on(database).rows<SecretsRow>(TASKS_WITH_SECRETS, after, limit);
  return rows.map(({ id, tenant_id, version, headers_json, notify }) => ({
    id: BigInt(id),
    tenantId: tenant_id,
    version,
    headers: (fromJson(headers_json) ?? null) as HeaderValues | null,
    notify: fromJson(notify) ?? null,
  }));
}

/** Tells how many were written: those that were changed since they were read are not. */
export async function writeTaskSecrets(database: Database, tasks: readonly TaskSecrets[]): Promise<number> {
  if (tasks.length === 0) return 0;
  const rows = tasks.map(({ id, version, headers, notify }) => ({
    id: String(id),
    version,
    headers: headers === null ? undefined : JSON.stringify(headers),
    notify: notify === null ? undefined : JSON.stringify(notify),
  }));
  return retried(() => Sql.on(database).run(WRITE_SECRETS, JSON.stringify(rows)));
}
