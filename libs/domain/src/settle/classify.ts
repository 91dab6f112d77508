import type { CallError, CallOutcome, CallResponse, CallTimeout } from './call-outcome.js';
import { networkReason } from './network-reason.js';

export type Verdict =
  | { kind: 'success' }
  /** `retryable` says it outright: again while attempts are left, or not at all. Otherwise `retry_on` decides. */
  | { kind: 'failed'; errorCode: string; errorInfo: string; retryable?: boolean }
  | { kind: 'timeout'; errorInfo: string }
  | { kind: 'canceled' };

/** Codes of CallError that say something else than "the network failed"; they become the run's error code as they are. */
const OWN_CODES = new Set(['ADDRESS_BLOCKED', 'INVALID_REQUEST']);

/** Success is 2xx, however much of the body was read. A redirect is a failure: nobody checked where it leads. */
export function classifyResponse(outcome: CallOutcome): Verdict {
  switch (outcome.kind) {
    case 'response':
      return judgeStatus(outcome);
    case 'timeout':
      return { kind: 'timeout', errorInfo: timeoutInfo(outcome) };
    case 'aborted':
      return { kind: 'canceled' };
    case 'error':
      return judgeError(outcome);
  }
}

function judgeStatus({ status, headers }: CallResponse): Verdict {
  if (status >= 200 && status < 300) return { kind: 'success' };
  if (status >= 300 && status < 400) {
    const errorInfo = `the target answered ${status}${redirectTarget(headers)}; redirects are not followed`;
    return { kind: 'failed', errorCode: 'REDIRECT', errorInfo };
  }
  return { kind: 'failed', errorCode: `HTTP_${status}`, errorInfo: `the target answered ${status}` };
}

/** Without query and fragment, which may carry credentials. */
function redirectTarget({ location }: CallResponse['headers']): string {
  const target = Array.isArray(location) ? location[0] : location;
  return target ? ` to ${target.split(/[?#]/)[0].slice(0, 200)}` : '';
}

const WAITING_FOR = {
  connect: 'a connection to the target',
  headers: "the target's response",
  body: 'the end of the response body',
} as const;

function timeoutInfo({ phase, timings }: CallTimeout): string {
  return `timed out after ${Math.round(timings.totalMs)} ms waiting for ${WAITING_FOR[phase]}`;
}

function judgeError({ code, message }: CallError): Verdict {
  if (OWN_CODES.has(code)) return { kind: 'failed', errorCode: code, errorInfo: message };
  return { kind: 'failed', errorCode: 'NETWORK', errorInfo: networkReason(code, message) };
}
