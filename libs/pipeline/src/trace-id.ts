import { randomUUID } from 'node:crypto';

/** A W3C trace id. A UUID's hex digits: Node keeps entropy for those at hand, randomBytes asks the system each time. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** The header a target gets: our trace, with the execution as its parent span. */
export function traceparent(traceId: string, execId: string): string {
  return `00-${traceId}-${execId.replaceAll('-', '').slice(0, 16)}-01`;
}
