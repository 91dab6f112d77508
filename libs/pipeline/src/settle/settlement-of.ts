import type { Settlement } from '#database';
import { type CallOutcome, closeExecution, isShallow, type LogMode, redactHeaders, unstorable } from '#domain';
import type { TargetCall } from '#outbound';
import type { FinishedExecution } from '../execute/execution.js';
import { commandRecord } from './command-record.js';
import { latenessOf } from './lateness-of.js';
import { plain } from './plain.js';

/** What an execution writes into its run and its attempt. `random` is a number in [0, 1). */
export function settlementOf(execution: FinishedExecution, node: string, random: number): Settlement {
  const { run, outcome } = execution;
  const httpStatus = outcome?.kind === 'response' ? outcome.status : null;
  const closing = closingOf(execution, httpStatus, random);
  const { withoutAttempt, result, request, response } = recordOf(execution);
  return {
    runId: run.id,
    taskId: run.taskId,
    tenantId: run.tenantId,
    execId: run.execId,
    attempt: run.attempt,
    tickAttempt: run.tickAttempt,
    priority: run.priority,
    node,
    status: closing.status,
    outcome: OUTCOMES[execution.verdict.kind],
    startedAt: execution.startedAt,
    finishedAt: execution.finishedAt,
    dueAgainAt: closing.status === 'RETRYING' ? closing.retryAt : null,
    httpStatus,
    errorCode: 'errorCode' in closing ? closing.errorCode : null,
    errorInfo: 'errorCode' in closing ? plain(closing.errorInfo) : null,
    startsAsync: execution.isAsync,
    executor: execution.executor ?? (execution.command && 'SHELL'),
    notify: execution.notify,
    trigger: run.trigger,
    traceId: run.traceId,
    lateMs: latenessOf(run, execution.startedAt),
    withoutAttempt,
    result,
    request,
    response,
  };
}

/** How much of the call is kept. A failure is never kept less than `trigger_log` keeps. */
function recordOf({ logMode, verdict, call, outcome, command }: FinishedExecution): Pick<Settlement, Kept> {
  const bodies = keepsBodies(logMode, verdict.kind === 'success' || verdict.kind === 'accepted');
  const withoutAttempt = logMode === 'none' && verdict.kind === 'success';
  if (command) return { withoutAttempt, ...commandRecord(command, bodies) };
  return {
    withoutAttempt,
    result: bodies && verdict.kind !== 'accepted' ? resultOf(outcome) : null,
    request: call && (bodies ? requestRecord(call) : { method: call.method, url: call.url }),
    response: outcome && (bodies ? responseRecord(outcome) : withoutBody(responseRecord(outcome))),
  };
}

type Kept = 'withoutAttempt' | 'result' | 'request' | 'response';

export function keepsBodies(logMode: LogMode, isSuccess: boolean): boolean {
  return logMode === 'trans_log' || (logMode === 'none' && !isSuccess);
}

const OUTCOMES = {
  success: 'SUCCESS',
  accepted: 'SUCCESS',
  failed: 'FAILED',
  timeout: 'TIMEOUT',
  canceled: 'LOST',
} as const;

function closingOf(execution: FinishedExecution, httpStatus: number | null, random: number) {
  const { run, verdict, outcome } = execution;
  const facts = {
    retryPolicy: execution.retryPolicy,
    needManual: execution.needManual,
    onNodeLost: execution.onNodeLost,
    attempt: run.attempt,
    maxAttempts: run.maxAttempts,
    httpStatus,
    retryAfter: outcome?.kind === 'response' ? outcome.retryAfter : undefined,
  };
  return closeExecution(verdict, facts, execution.finishedAt, random);
}

function requestRecord({ method, url, headers, body }: TargetCall) {
  return { method, url, headers: redactHeaders(headers), body: body === undefined ? undefined : plain(body) };
}

function responseRecord(outcome: CallOutcome) {
  const total_ms = Math.round(outcome.timings.totalMs);
  if (outcome.kind !== 'response') return { timings: { total_ms } };
  const { status, body, bodyEncoding, bodyBytes, truncated } = outcome;
  return {
    status,
    headers: redactHeaders(outcome.headers),
    body: bodyEncoding === 'text' ? plain(body) : body,
    body_encoding: bodyEncoding,
    body_bytes: bodyBytes,
    truncated,
    timings: { total_ms, headers_ms: Math.round(outcome.timings.headersMs) },
  };
}

function withoutBody({ headers: _, body: __, body_encoding: ___, ...rest }: ReturnType<typeof responseRecord>) {
  return rest;
}

/** The reply is the result: as JSON where it is JSON, else as text. */
function resultOf(outcome: CallOutcome | null): unknown {
  if (outcome?.kind !== 'response' || outcome.bodyEncoding !== 'text' || outcome.body === '') return null;
  const { body, truncated } = outcome;
  // PostgreSQL's JSON holds neither U+0000 nor half a surrogate pair; such a reply is kept as the text it came in.
  const strange = /\\u(0000|d[89a-f])/i.test(body);
  if (truncated || strange) return plain(body);
  try {
    const result = JSON.parse(body) as unknown;
    return isShallow(body) || unstorable(result) === null ? result : plain(body);
  } catch {
    return plain(body);
  }
}
