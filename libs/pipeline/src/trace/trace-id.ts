import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** A W3C trace id. A UUID's hex digits: Node keeps entropy for those at hand, randomBytes asks the system each time. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

export const newSpanId = (): string => randomBytes(8).toString('hex');

/** The span of an execution: its id is the execution's own, so that the target's parent is known before the span is. */
export const executeSpanId = (execId: string): string =>
  execId.slice(0, 8) + execId.slice(9, 13) + execId.slice(14, 18);

/** The span of a run's admission. Worked out from the run's id, so that no queue and no column has to carry it. */
export const admitSpanId = (runId: string): string => createHash('sha256').update(runId).digest('hex').slice(0, 16);

/** The header a target gets: our trace, with the execution as its parent span. */
export function traceparent(traceId: string, execId: string, isSampled = true): string {
  return `00-${traceId}-${executeSpanId(execId)}-${isSampled ? '01' : '00'}`;
}
