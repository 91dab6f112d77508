import type { ClaimedRun } from '#database';
import type { CallbackSaid, RetryPolicy, RunStatus, SkipReason, Verdict } from '#domain';
import type { CallbackEnding, Definition, Ending, Policies } from './reference-task.js';

/** A run as it is stored. */
export interface Row {
  id: string;
  trigger: string;
  scheduledTime: number;
  status: RunStatus;
  skipReason: SkipReason | null;
  blockedBy: string | null;
  tickAttempt: number;
  attempt: number;
  missedFrom: number | null;
  missedCount: number | null;
}

/** What is stored of a task: its runs, oldest first, and what is counted and remembered beside them. */
export interface Snapshot {
  rows: Row[];
  activeRuns: number;
  queuedRuns: number;
  /** Epoch seconds. */
  nextFire: number | null;
}

export interface Settled {
  /** False when the result changed nothing. */
  settled: boolean;
  released: string[];
}

/** What the commands drive: the product's own code, over rows in memory or in a database. Times are epoch milliseconds. */
export interface Product {
  create(definition: Definition, nextFire: number): Promise<bigint>;
  tick(now: number): Promise<void>;
  /** The id of the run it became. */
  trigger(taskId: bigint, now: number): Promise<string>;
  claim(runId: string, now: number): Promise<ClaimedRun | null>;
  settle(execution: ClaimedRun, ending: Ending, definition: Definition, now: number): Promise<Settled>;
  /** The target has taken the work on: a callback, or its deadline, closes the run. */
  accept(execution: ClaimedRun, now: number): Promise<boolean>;
  /** The target says how it ended, whether its acceptance was heard of or not. */
  callBack(execution: ClaimedRun, ending: CallbackEnding, now: number): Promise<Settled>;
  cancel(runId: string, now: number): Promise<string[]>;
  /** A person has a PENDING run tried again; false without a slot for it. */
  retry(runId: string, now: number): Promise<boolean>;
  /** Prolongs the leases of those that are alive, then looks after the others. */
  rescue(alive: ClaimedRun[], now: number): Promise<void>;
  change(taskId: bigint, policies: Partial<Policies>, now: number): Promise<string[]>;
  setEnabled(taskId: bigint, enabled: boolean, now: number): Promise<void>;
  delete(taskId: bigint, now: number): Promise<void>;
  look(taskId: bigint): Promise<Snapshot>;
}

export const LEASE_MS = 20_000;
/** Shorter than what passes until rescue comes. */
export const CALLBACK_MS = 30_000;
export const TICK_SETTINGS = { graceSeconds: 3, catchUpChunk: 20 };

export const retryPolicyOf = ({ maxAttempts }: Pick<Definition, 'maxAttempts'>): RetryPolicy =>
  maxAttempts === 1 ? { strategy: 'none' } : { strategy: 'fixed', max_attempts: maxAttempts, interval_seconds: 1 };

/** What a target says; a refusal is a failure it wants nobody to try again. */
export const SAID: Readonly<Record<CallbackEnding, CallbackSaid>> = {
  success: { status: 'SUCCESS', result: 1 },
  failure: { status: 'FAILURE', errorInfo: 'broken' },
  refusal: { status: 'FAILURE', retryable: false },
};

/** What a worker makes of each way an execution can end; a refusal is a failure nobody tries again. */
export const VERDICTS: Readonly<Record<Ending, Verdict>> = {
  success: { kind: 'success' },
  failure: { kind: 'failed', errorCode: 'NETWORK', errorInfo: 'reset' },
  refusal: { kind: 'failed', errorCode: 'HTTP_400', errorInfo: 'no' },
  timeout: { kind: 'timeout', errorInfo: 'too long' },
  interruption: { kind: 'canceled' },
};
