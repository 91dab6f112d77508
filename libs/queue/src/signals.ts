import type { Signal } from './catalogue.js';

export type SignalHandler = (signal: Signal) => void;

/**
 * Tells all processes something at once, without keeping it: who is not there does not hear it. So a signal only ever makes
 * sooner what its listeners would find out by themselves.
 */
export interface Signals {
  /** Returns at once and never throws. Call it after the commit. */
  send(signal: Signal): void;
  /** From now on, as long as the connection is there; a lost one is made again. */
  listen(handler: SignalHandler): void;
  close(): Promise<void>;
}

/** Below the 8,000 bytes of a PostgreSQL notification, with the longest ids there are. */
const MOST_AT_ONCE = 50;

/** What is sent, as text, in parts that any backend can carry. */
export function partsOf({ cancel, agentRuns }: Signal): string[] {
  const parts: string[] = agentRuns ? [JSON.stringify({ cancel: [], agentRuns } satisfies Signal)] : [];
  for (let at = 0; at < cancel.length; at += MOST_AT_ONCE) {
    parts.push(JSON.stringify({ cancel: cancel.slice(at, at + MOST_AT_ONCE) } satisfies Signal));
  }
  return parts;
}

export const channelOf = (prefix: string): string => `${prefix}:signals`;
