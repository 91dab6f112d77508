/** What a process does; a SCHEDULER is an API that also turns due seconds into runs. */
export const NODE_ROLES = ['API', 'SCHEDULER', 'WORKER'] as const;
export const NODE_STATES = ['ALIVE', 'SUSPECT', 'DEAD', 'DRAINING'] as const;

export type NodeRole = (typeof NODE_ROLES)[number];
export type NodeState = (typeof NODE_STATES)[number];

export interface NodeFacts {
  /** How long ago its last heartbeat was. */
  silentMs: number;
  leaseMs: number;
  isDraining: boolean;
}

/** Ten heartbeats fit into a lease, so that one or two may be lost; but nobody needs more than one every few seconds. */
const BEATS_PER_LEASE = 10;
const RAREST_BEAT_MS = 3_000;
/** Silent for this part of its lease, a node is suspect. */
const SUSPECT_SHARE = 0.5;

export const heartbeatEveryMs = (leaseMs: number): number => Math.min(RAREST_BEAT_MS, leaseMs / BEATS_PER_LEASE);

/** Worked out when somebody asks, so that nobody has to declare anybody dead, and a heartbeat is all it takes to be alive again. */
export function nodeState({ silentMs, leaseMs, isDraining }: NodeFacts): NodeState {
  if (silentMs >= leaseMs) return 'DEAD';
  if (isDraining) return 'DRAINING';
  return silentMs >= leaseMs * SUSPECT_SHARE ? 'SUSPECT' : 'ALIVE';
}
