import type { Verdict } from '../settle/classify.js';

export const CALLBACK_OUTCOMES = ['SUCCESS', 'FAILURE'] as const;
export type CallbackOutcome = (typeof CALLBACK_OUTCOMES)[number];

/** What a callback says. */
export interface CallbackSaid {
  status: CallbackOutcome;
  result?: unknown;
  errorInfo?: string;
  /** False: no other attempt, whatever the retry policy says. */
  retryable?: boolean;
  retryAfterSeconds?: number;
}

/** One text for what says the same, whatever the order of its keys: what a repetition is known by. */
export function canonicalText({ status, result, errorInfo, retryable, retryAfterSeconds }: CallbackSaid): string {
  return JSON.stringify(
    sorted([status, result ?? null, errorInfo ?? null, retryable ?? null, retryAfterSeconds ?? null]),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // As a list, so that a key named __proto__ is a key like any other.
  return { keys: entries.map(([key, inner]) => [key, sorted(inner)]) };
}

/** What the target reports is tried again by the retry policy, whatever its `retry_on` says, unless it says otherwise. */
export function verdictOfCallback({ status, errorInfo, retryable = true }: CallbackSaid): Verdict {
  if (status === 'SUCCESS') return { kind: 'success' };
  return {
    kind: 'failed',
    errorCode: 'CALLBACK_FAILURE',
    errorInfo: errorInfo ?? 'the target reported a failure',
    retryable,
  };
}
