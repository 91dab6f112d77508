import { NotFound, type NodeRole, type NodeState, nodeState } from '#domain';
import type { Database } from '../client.js';
import { DRAIN_NODE, LIST_NODES, UNDRAIN_NODE } from '../sql/nodes.js';
import { Sql } from '../sql.js';
import { inSqlTransaction } from '../transaction.js';

/** A process of the deployment, as the others see it. */
export interface KnownNode {
  id: string;
  role: NodeRole;
  host: string;
  pid: number;
  version: string;
  startedAt: Date;
  heartbeatAt: Date;
  capacity: number | null;
  load: number;
  drainingSince: Date | null;
  drained: boolean;
  state: NodeState;
}

export async function listNodes(database: Database): Promise<KnownNode[]> {
  const rows = await Sql.on(database).rows<NodeRow>(LIST_NODES, null);
  return rows.map(toKnownNode);
}

/**
 * From now on it takes nothing new, and finishes what it has; unless it is told otherwise again. The witness writes it down in the
 * same transaction, and is not called where nothing changes.
 */
export function setDraining(
  database: Database,
  id: string,
  draining: boolean,
  witness?: (sql: Sql) => Promise<void>,
): Promise<KnownNode> {
  return inSqlTransaction(database, async (sql) => {
    const changed = await sql.run(draining ? DRAIN_NODE : UNDRAIN_NODE, id);
    const [row] = await sql.rows<NodeRow>(LIST_NODES, id);
    if (row === undefined) throw new NotFound('node', id);
    if (changed > 0) await witness?.(sql);
    return toKnownNode(row);
  });
}

interface NodeRow {
  id: string;
  role: NodeRole;
  host: string;
  pid: number;
  version: string;
  started_at: Date;
  heartbeat_at: Date;
  lease_seconds: number;
  capacity: number | null;
  load: number;
  draining_since: Date | null;
  drained: boolean | number;
  silent_ms: number;
}

function toKnownNode(row: NodeRow): KnownNode {
  const facts = { silentMs: row.silent_ms, leaseMs: row.lease_seconds * 1000, isDraining: row.draining_since !== null };
  return {
    id: row.id,
    role: row.role,
    host: row.host,
    pid: row.pid,
    version: row.version,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    capacity: row.capacity,
    load: row.load,
    drainingSince: row.draining_since,
    drained: Boolean(row.drained),
    state: nodeState(facts),
  };
}
