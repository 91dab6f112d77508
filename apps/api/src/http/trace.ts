import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZEROS = /^0+$/;

/** The trace this request belongs to: its caller's (W3C `traceparent`), else a new one. */
export function traceIdFrom(headers: IncomingHttpHeaders): string {
  return callerOf(headers)?.trace ?? randomBytes(16).toString('hex');
}

/** The caller's own span, which this request hangs below. */
export function parentSpanFrom(headers: IncomingHttpHeaders): string | undefined {
  return callerOf(headers)?.span;
}

function callerOf({ traceparent: given }: IncomingHttpHeaders): { trace: string; span: string } | null {
  const [, trace, span] = (typeof given === 'string' && TRACEPARENT.exec(given.trim())) || [];
  return trace && !ZEROS.test(trace) && !ZEROS.test(span) ? { trace, span } : null;
}
