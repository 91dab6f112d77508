/** What came of one HTTP call to a target. The client that makes them never throws; everything is one of these. */
export type CallOutcome = CallResponse | CallTimeout | CallAborted | CallError;

export interface CallResponse {
  kind: 'response';
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  /** The first bytes of the body: readable text, or base64 of what is not. */
  body: string;
  bodyEncoding: 'text' | 'base64';
  /** How many bytes were received, which is more than `body` holds when `truncated`. */
  bodyBytes: number;
  truncated: boolean;
  retryAfter?: string;
  timings: { totalMs: number; headersMs: number };
}

export interface CallTimeout {
  kind: 'timeout';
  /** What the call was waiting for when its time was up; `connect` includes name lookup and waiting for a connection. */
  phase: 'connect' | 'headers' | 'body';
  timings: { totalMs: number };
}

export interface CallAborted {
  kind: 'aborted';
  timings: { totalMs: number };
}

export interface CallError {
  kind: 'error';
  code: string;
  message: string;
  timings: { totalMs: number };
}
