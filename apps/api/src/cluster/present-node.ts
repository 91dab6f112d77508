import type { KnownNode } from '#database';
import type { NodeView } from './node.view.js';

/** A process as the outside sees it. */
export function presentNode(node: KnownNode): NodeView {
  return {
    id: node.id,
    role: node.role,
    host: node.host,
    pid: node.pid,
    version: node.version,
    started_at: node.startedAt.toISOString(),
    heartbeat_at: node.heartbeatAt.toISOString(),
    capacity: node.capacity,
    load: node.load,
    state: node.state,
    draining_since: node.drainingSince && node.drainingSince.toISOString(),
    drained: node.drained,
  };
}
