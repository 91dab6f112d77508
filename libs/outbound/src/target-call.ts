import { setMaxListeners } from 'node:events';
import type { CallOutcome } from '#domain';
import { describeError } from './call-error.js';
import type { Caller } from './http1/connection.js';
import type { ResponseHeaders } from './http1/response-head.js';
import { ResponseBody } from './response-body.js';

export interface TargetCall {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Is handed the function that aborts this call. An AbortController of its own costs a call half as much CPU again. */
  abortable?: (abort: () => void) => void;
  /** Instead of the client's own. */
  bodyKeepLimit?: number;
}

export interface BodyLimits {
  read: number;
  keep: number;
}

/** Node turns a longer timer into one of 1 ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * One call from start to outcome. It settles exactly once, by whichever comes first: the end of the response, the read
 * limit, the deadline, the signal, an error. What its connection reports afterwards is ignored.
 */
export class CallInFlight implements Caller {
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private readonly body: ResponseBody;
  private breakOff: (() => void) | null = null;
  private phase: 'connect' | 'headers' | 'body' = 'connect';
  private status = 0;
  private headers: ResponseHeaders = {};
  private headersMs = 0;
  private settled = false;

  constructor(
    private readonly limits: BodyLimits,
    timeoutMs: number,
    private readonly signal: AbortSignal | undefined,
    private readonly resolve: (outcome: CallOutcome) => void,
  ) {
    this.body = new ResponseBody(limits.keep);
    this.timer = setTimeout(onDeadline, Math.min(timeoutMs, LONGEST_TIMER), this);
    if (signal !== undefined) this.listen(signal);
  }

  get isOver(): boolean {
    return this.settled;
  }

  onSent(breakOff: () => void): void {
    this.breakOff = breakOff;
    this.phase = 'headers';
  }

  onHead(status: number, headers: ResponseHeaders): void {
    if (this.settled) return;
    this.phase = 'body';
    this.status = status;
    this.headers = headers;
    this.headersMs = this.elapsed();
  }

  onData(chunk: Buffer): void {
    if (this.settled) return;
    this.body.push(chunk);
    if (this.body.bytes <= this.limits.read) return;
    this.respond();
    this.breakOff?.();
  }

  onEnd(): void {
    if (!this.settled) this.respond();
  }

  fail(error: unknown): void {
    if (!this.settled) this.settle({ kind: 'error', ...describeError(error), timings: { totalMs: this.elapsed() } });
  }

  expire(): void {
    if (this.settled) return;
    this.settle({ kind: 'timeout', phase: this.phase, timings: { totalMs: this.elapsed() } });
    this.breakOff?.();
  }

  readonly abort = (): void => {
    if (this.settled) return;
    this.settle({ kind: 'aborted', timings: { totalMs: this.elapsed() } });
    this.breakOff?.();
  };

  private listen(signal: AbortSignal): void {
    if (signal.aborted) return this.abort();
    // one signal may stop any number of calls; Node would warn of a leak at eleven
    setMaxListeners(0, signal);
    signal.addEventListener('abort', this.abort);
  }

  private respond(): void {
    const { status, headers, headersMs, body } = this;
    const { body: text, bodyEncoding } = body.finish(only(headers['content-type']), only(headers['content-encoding']));
    this.settle({
      kind: 'response',
      status,
      headers,
      body: text,
      bodyEncoding,
      bodyBytes: body.bytes,
      truncated: body.truncated,
      retryAfter: only(headers['retry-after']),
      timings: { totalMs: this.elapsed(), headersMs },
    });
  }

  private settle(outcome: CallOutcome): void {
    this.settled = true;
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.abort);
    this.resolve(outcome);
  }

  private elapsed(): number {
    return performance.now() - this.startedAt;
  }
}

function onDeadline(call: CallInFlight): void {
  call.expire();
}

function only(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
