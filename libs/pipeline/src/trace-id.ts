import { randomBytes } from 'node:crypto';

/** A W3C trace id. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/** The header a target gets: our trace, with the execution as its parent span. */
export function traceparent(traceId: string): string {
  return `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
}
