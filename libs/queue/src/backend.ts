import type { ConnectionOptions } from 'bullmq';
import type { CaFile } from '#config';
import type { Counters } from './counters.js';
import type { QueueMemory } from './queue-memory.js';
import type { Signals } from './signals.js';

export interface QueueOptions {
  redisUrl: string | null;
  /** Who has signed its certificate. */
  redisCa?: CaFile | null;
  databaseUrl: string;
  databaseCa?: CaFile | null;
  prefix: string;
  /** Longest a connection is waited for. */
  timeoutMs: number;
}

/** Told once when the queue goes away, and once when it is back. */
export interface QueueLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Where BullMQ keeps its jobs. Nobody outside this library knows which of the two it is. */
export interface QueueBackend {
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  /** A way past the queue, for what concerns everybody at once. */
  readonly signals: Signals;
  /** Whether it still knows what it was told. */
  readonly memory: QueueMemory;
  /** What all processes count together. */
  readonly counters: Counters;
  /** Makes the queue ready for use. Throws QueueMisconfigured, or whatever the network says while it is away. */
  prepare(): Promise<void>;
  /** Does one thing with the queue, or throws at once while it is away: nothing waits for it, nothing piles up. */
  ask<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /** Throws when the queue cannot be reached now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The queue answers but must not be used as it is set up; the message says what to change. */
export class QueueMisconfigured extends Error {}

/** The queue cannot be reached now. What was meant for it waits in the database. */
export class QueueAway extends Error {}
