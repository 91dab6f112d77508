import type { CallableRun, CallbackToken, SettledFrom, Settlement } from '#database';
import { type CallbackSaid, closeExecution, verdictOfCallback } from '#domain';
import { latenessOf } from '../settle/lateness-of.js';
import { plain } from '../settle/plain.js';
import { keepsBodies } from '../settle/settlement-of.js';

export interface ReceivedCallback {
  run: CallableRun;
  /** The attempt it speaks for. */
  owner: CallbackToken;
  said: CallbackSaid;
  hash: string;
}

/** What a callback makes of its run and its attempt; from whatever the run is now. `random` is a number in [0, 1). */
export function settlementOfCallback(
  { run, owner, said, hash }: ReceivedCallback,
  now: number,
  random: number,
): Settlement {
  const retryAfter = said.retryAfterSeconds === undefined ? undefined : String(said.retryAfterSeconds);
  const closing = closeExecution(verdictOfCallback(said), { ...run, httpStatus: null, retryAfter }, now, random);
  const isSuccess = said.status === 'SUCCESS';
  return {
    ...{ runId: run.id, taskId: run.taskId, tenantId: run.tenantId, execId: owner.execId, attempt: owner.attempt },
    ...{ tickAttempt: run.tickAttempt, node: run.node, priority: run.priority },
    from: run.status as SettledFrom,
    status: closing.status,
    outcome: isSuccess ? 'SUCCESS' : 'FAILED',
    startedAt: owner.startedAt,
    finishedAt: now,
    dueAgainAt: closing.status === 'RETRYING' ? closing.retryAt : null,
    httpStatus: owner.httpStatus,
    errorCode: 'errorCode' in closing ? closing.errorCode : null,
    errorInfo: 'errorCode' in closing ? plain(closing.errorInfo) : null,
    result: keepsBodies(run.logMode, isSuccess) ? (said.result ?? null) : null,
    // How the call that started it went is kept beside its token.
    request: null,
    response: null,
    withoutAttempt: isSuccess && run.logMode === 'none',
    notify: run.notify,
    trigger: run.trigger,
    traceId: run.traceId,
    lateMs: latenessOf({ ...run, attempt: owner.attempt }, owner.startedAt),
    callback: { outcome: said.status, hash },
  };
}
