import type { Database, Session } from '../client.js';
import { COUNT_TASKS_OF_TENANT, COUNT_UNFINISHED_OF_TENANT } from '../sql/tenant-usage.js';
import { Sql } from '../sql.js';

interface Counted {
  count: number | bigint | string;
}

/** Live tasks of the tenant, or `most` if there are more. */
export async function countTasks(database: Database, session: Session, tenantId: string, most: number) {
  const [row] = await Sql.on(database, session).rows<Counted>(COUNT_TASKS_OF_TENANT, tenantId, most);
  return Number(row.count);
}

/** Unfinished runs of the tenant, more or less exactly where there are more than `most`. Not for every request. */
export async function countUnfinished(database: Database, tenantId: string, most: number): Promise<number> {
  const [row] = await Sql.on(database).rows<Counted>(COUNT_UNFINISHED_OF_TENANT, tenantId, tenantId, most);
  return Number(row.count);
}
