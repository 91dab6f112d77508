import { hostname } from 'node:os';
import { VERSION } from '#config';
import { forgetNodes, keepNode, type NodeHeartbeat, removeNode, setDraining } from '#database';
import type { NodeRole } from '#domain';
import type { Platform } from '../platform/open-platform.js';

/** Where a process says that it is there. */
export interface NodeRegister {
  /** The answer is whether it is to drain. */
  keep(beat: Omit<NodeHeartbeat, 'uptimeMs'>): Promise<boolean>;
  /** It is about to stop: from now on it shows as DRAINING. */
  leave(): Promise<unknown>;
  remove(): Promise<void>;
  /** Of those that have been dead for a day. */
  forgetOthers(): Promise<unknown>;
}

/** This process' row among the nodes. */
export function nodeRegister(platform: Platform, role: NodeRole, capacity: number | null): NodeRegister {
  const { database, node: id, config } = platform;
  const identity = {
    ...{ id, role, capacity, host: hostname().slice(0, 255), pid: process.pid, version: VERSION.slice(0, 32) },
    leaseSeconds: config.leaseSeconds,
  };
  return {
    keep: (beat) => keepNode(database, identity, { ...beat, uptimeMs: process.uptime() * 1000 }),
    leave: () => setDraining(database, id, true),
    remove: () => removeNode(database, id),
    forgetOthers: () => forgetNodes(database),
  };
}
