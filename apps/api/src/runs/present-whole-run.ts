import type { LateCallback, RunAttempt, RunCallback, RunHandling, StoredRun } from '#database';
import { parsed, presentAttempt, presentRun, shown } from './present-run.js';

/** A run with all there is to tell about it. */
export function presentWhole({ run, attempts, handled, callbacks, lateCallbacks }: StoredRun) {
  const starts = new Map(callbacks.map((callback) => [callback.execId, callback]));
  const listed = new Set(attempts.map((attempt) => attempt.execId));
  const open = callbacks.filter(({ execId }) => execId === run.execId && !listed.has(execId));
  const isWaiting = run.status === 'WAITING_CALLBACK';
  return {
    ...presentRun(run),
    attempts: [
      ...attempts.map((attempt) => presentWithStart(attempt, starts.get(attempt.execId))),
      ...(isWaiting ? open.map((callback) => presentOpen(callback, run.node)) : []),
    ],
    callbacks: callbacks.map(presentCallback),
    late_callbacks: lateCallbacks.map(presentLate),
    handled: handled.map(presentHandling),
  };
}

/** An attempt that a callback has closed: how the call went that started it is kept beside its token. */
function presentWithStart(attempt: RunAttempt, start: RunCallback | undefined) {
  const shownAttempt = presentAttempt(attempt);
  if (start === undefined) return shownAttempt;
  return {
    ...shownAttempt,
    request: shownAttempt.request ?? parsed(start.request),
    response: shownAttempt.response ?? parsed(start.response),
    http_status: shownAttempt.http_status ?? start.httpStatus,
  };
}

/** The attempt whose callback is waited for. */
function presentOpen(start: RunCallback, node: string | null) {
  const { attempt, execId, startedAt, request, response, httpStatus } = start;
  const unknown = { errorCode: null, errorInfo: null };
  const finished = { tenantId: start.tenantId, runId: start.runId, finishedAt: startedAt, outcome: 'ACCEPTED' };
  const row = { ...finished, ...unknown, attempt, execId, node, startedAt, request, response, httpStatus };
  return { ...presentAttempt(row), finished_at: null, duration_ms: null };
}

function presentCallback(callback: RunCallback) {
  return {
    attempt: callback.attempt,
    exec_id: callback.execId,
    started_at: shown(callback.startedAt),
    answered_at: shown(callback.answeredAt),
    http_status: callback.httpStatus,
    outcome: callback.outcome,
    received_at: shown(callback.receivedAt),
  };
}

function presentLate({ attempt, outcome, result, errorInfo, effect, receivedAt }: LateCallback) {
  return { attempt, status: outcome, result, error_info: errorInfo, effect, received_at: shown(receivedAt) };
}

function presentHandling({ action, by, at, remark, attempt, payloadEdited, previousPayload }: RunHandling) {
  const edited = { payload_edited: payloadEdited, previous_payload: previousPayload };
  return { action, by, at: shown(at), remark, attempt, ...edited };
}
