import type { AgentExecution, Settlement } from '#database';
import { type AgentReport, agentVerdict, closeExecution, type LogMode } from '#domain';
import { latenessOf } from '../settle/lateness-of.js';
import { plain } from '../settle/plain.js';

const OUTCOMES = { complete: 'SUCCESS', fail: 'FAILED' } as const;

/** What an agent's report writes into its run and its attempt. `random` is a number in [0, 1). */
export function agentSettlement(run: AgentExecution, report: AgentReport, now: number, random: number): Settlement {
  const retryAfter = report.kind === 'fail' ? report.retryAfterSeconds?.toString() : undefined;
  const closing = closeExecution(agentVerdict(report), { ...run, httpStatus: null, retryAfter }, now, random);
  const bodies = keepsBodies(run.logMode, report.kind);
  return {
    ...identityOf(run),
    status: closing.status,
    outcome: OUTCOMES[report.kind],
    startedAt: run.startedAt,
    finishedAt: now,
    dueAgainAt: closing.status === 'RETRYING' ? closing.retryAt : null,
    httpStatus: null,
    errorCode: 'errorCode' in closing ? closing.errorCode : null,
    errorInfo: 'errorInfo' in closing ? plain(closing.errorInfo) : null,
    withoutAttempt: run.logMode === 'none' && report.kind === 'complete',
    result: bodies && report.kind === 'complete' ? (report.result ?? null) : null,
    request: { agent: run.node },
    response: bodies ? recordOf(report) : null,
    notify: run.notify,
    lateMs: latenessOf(run, run.startedAt),
  };
}

/** The agent hung up before it was told of the run: it is somebody else's at once. */
export function notHandedOut(run: AgentExecution, now: number): Settlement {
  return {
    ...identityOf(run),
    ...{ status: 'RETRYING', outcome: 'LOST', startedAt: run.startedAt, finishedAt: now, dueAgainAt: now },
    ...{ httpStatus: null, result: null, request: { agent: run.node }, response: null, notify: run.notify },
    errorCode: 'AGENT_GONE',
    errorInfo: `agent ${run.node ?? ''} hung up before it was given attempt ${run.attempt}`,
  };
}

function identityOf(run: AgentExecution) {
  const { taskId, tenantId, attempt, tickAttempt, node, priority, executor, trigger } = run;
  const names = { runId: run.id, taskId, tenantId, execId: run.execId ?? '', trigger };
  return { ...names, attempt, tickAttempt, node, priority, executor };
}

function keepsBodies(logMode: LogMode, kind: AgentReport['kind']): boolean {
  return logMode === 'trans_log' || (logMode === 'none' && kind === 'fail');
}

function recordOf(report: AgentReport): object {
  if (report.kind === 'complete') return { result: report.result ?? null };
  const { errorCode, errorInfo, retryable, retryAfterSeconds } = report;
  return {
    error_code: errorCode,
    error_info: errorInfo === undefined ? undefined : plain(errorInfo),
    retryable,
    retry_after_seconds: retryAfterSeconds,
  };
}
