import type { NodeRole } from '#domain';
import type { Database } from '../client.js';
import { FORGET_NODES, KEEP_NODE, READ_DRAINING, REMOVE_NODE } from '../sql/nodes.js';
import { onlyMySql, Sql } from '../sql.js';
import { retried } from '../transaction.js';

/** What a process says of itself once and for all. */
export interface NodeIdentity {
  id: string;
  role: NodeRole;
  host: string;
  pid: number;
  version: string;
  leaseSeconds: number;
  /** Run slots; null where there are none. */
  capacity: number | null;
}

export interface NodeHeartbeat {
  /** How long the process has been running. */
  uptimeMs: number;
  load: number;
  /** Whether it takes nothing new, and has nothing left to finish. */
  drained: boolean;
}

/** Says that the node is there, by the database's clock. The answer is whether it is to drain. */
export async function keepNode(database: Database, node: NodeIdentity, beat: NodeHeartbeat): Promise<boolean> {
  const sql = Sql.on(database);
  const { id, role, host, pid, version, leaseSeconds, capacity } = node;
  const { uptimeMs, load, drained } = beat;
  const values = [id, role, host, pid, version, Math.round(uptimeMs), leaseSeconds, capacity, load, drained];
  const rows = await retried(() => sql.rows<Draining>(KEEP_NODE, ...values));
  const [row] = sql.dialect === 'mysql' ? await sql.rows<Draining>(onlyMySql(READ_DRAINING), id) : rows;
  return Boolean(row?.draining);
}

interface Draining {
  draining: boolean | number | bigint;
}

/** The node has stopped, and left nothing behind. */
export async function removeNode(database: Database, id: string): Promise<void> {
  await Sql.on(database).run(REMOVE_NODE, id);
}

const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** Forgets nodes that died and never came back. */
export function forgetNodes(database: Database): Promise<number> {
  return Sql.on(database).run(FORGET_NODES, FORGOTTEN_AFTER_MS);
}
