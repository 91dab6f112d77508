import { type CallOutcome, classifyResponse } from '#domain';

const LONGEST_ERROR = 1_000;

/** Why a try was not acknowledged. */
export interface Failure {
  httpStatus: number | null;
  retryAfter: string | undefined;
  error: string;
}

/** Null when the receiver has acknowledged. */
export function failureOf(outcome: CallOutcome | Error): Failure | null {
  if (outcome instanceof Error) return { httpStatus: null, retryAfter: undefined, error: shortened(outcome.message) };
  const verdict = classifyResponse(outcome);
  if (verdict.kind === 'success') return null;
  const reason = 'errorInfo' in verdict ? verdict.errorInfo.replace('the target', 'the receiver') : 'it was broken off';
  if (outcome.kind !== 'response') return { httpStatus: null, retryAfter: undefined, error: shortened(reason) };
  const said = outcome.bodyEncoding === 'text' && outcome.body.trim() !== '' ? `: ${outcome.body.trim()}` : '';
  return { httpStatus: outcome.status, retryAfter: outcome.retryAfter, error: shortened(reason + said) };
}

/** Text that both databases can store. */
const shortened = (text: string): string => text.slice(0, LONGEST_ERROR).toWellFormed().replaceAll('\0', '\ufffd');
