import axios, {
  AxiosError,
  AxiosHeaders,
  CanceledError,
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { type CallOutcome, type CallResponse, classifyResponse } from '#domain';
import type { TargetClient } from './target-client.js';

export interface HttpClientOptions {
  /** Shared with the target calls: same guard, same connections, same limits. */
  client: TargetClient;
  /** Total, for calls that do not bring their own. */
  timeoutMs?: number;
  /** How much of a response is kept. */
  maxBodyBytes?: number;
  /** What becomes of a longer one: an error, unless it is told to cut it off there. */
  longBody?: 'refuse' | 'cut';
}

const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 1024 * 1024;
/** axios compares each header with all others, several times: the thousands that fit into 16 KB would take it seconds. */
const MOST_HEADERS = 100;

/**
 * axios for everything off the hot path: requests and errors as axios has them, sent by the guarded client. An error's
 * message is the reason that a run would be given.
 */
export function createHttpClient(options: HttpClientOptions): AxiosInstance {
  const { client, timeoutMs = TIMEOUT_MS, maxBodyBytes = MAX_BODY_BYTES, longBody = 'refuse' } = options;
  const http = axios.create({
    timeout: timeoutMs,
    maxRedirects: 0,
    proxy: false,
    adapter: async (config) => {
      const outcome = await client.call({ ...requestOf(config), bodyKeepLimit: maxBodyBytes });
      if (outcome.kind !== 'response') throw errorOf(outcome, config);
      return judged(outcome, config, longBody === 'refuse');
    },
  });
  // Without this every request would have an `Accept` that nobody asked for.
  http.defaults.headers.common = {};
  return http;
}

function requestOf(config: InternalAxiosRequestConfig): Parameters<TargetClient['call']>[0] {
  return {
    method: (config.method ?? 'get').toUpperCase(),
    url: urlOf(config),
    headers: plainHeaders(config.headers),
    body: bodyOf(config),
    timeoutMs: config.timeout || TIMEOUT_MS,
    signal: config.signal as AbortSignal | undefined,
  };
}

/** As it was given, unless there is something to add to it. */
function urlOf(config: InternalAxiosRequestConfig): string {
  const isWhole = config.baseURL === undefined && config.params === undefined;
  return isWhole ? (config.url ?? '') : axios.getUri(config);
}

function bodyOf(config: InternalAxiosRequestConfig): string | undefined {
  const data: unknown = config.data;
  if (data === undefined || data === null) return undefined;
  if (typeof data === 'string') return data;
  throw new AxiosError('only text and JSON bodies can be sent', AxiosError.ERR_NOT_SUPPORT, config);
}

function plainHeaders(headers: AxiosHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers.toJSON())) {
    if (value !== null && value !== undefined) plain[name] = String(value);
  }
  return plain;
}

function judged(outcome: CallResponse, config: InternalAxiosRequestConfig, isWhole: boolean): AxiosResponse {
  const response = responseOf(outcome, config);
  if (isWhole && outcome.truncated) {
    throw failure('the response is too large', AxiosError.ERR_BAD_RESPONSE, config, response);
  }
  if (!config.validateStatus || config.validateStatus(outcome.status)) return response;
  const code = outcome.status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
  throw failure(reasonOf(outcome), code, config, response);
}

function responseOf(outcome: CallResponse, config: InternalAxiosRequestConfig): AxiosResponse {
  return {
    status: outcome.status,
    statusText: '',
    headers: new AxiosHeaders(Object.fromEntries(Object.entries(outcome.headers).slice(0, MOST_HEADERS))),
    data: outcome.bodyEncoding === 'text' ? outcome.body : Buffer.from(outcome.body, 'base64'),
    config,
  };
}

function errorOf(outcome: Exclude<CallOutcome, CallResponse>, config: InternalAxiosRequestConfig): AxiosError {
  switch (outcome.kind) {
    case 'aborted':
      return new CanceledError('canceled', config);
    case 'timeout':
      return failure(reasonOf(outcome), AxiosError.ECONNABORTED, config);
    case 'error':
      return failure(reasonOf(outcome), outcome.code, config);
  }
}

function reasonOf(outcome: CallOutcome): string {
  const verdict = classifyResponse(outcome);
  return 'errorInfo' in verdict ? verdict.errorInfo : `the target answered ${(outcome as CallResponse).status}`;
}

function failure(
  message: string,
  code: string,
  config: InternalAxiosRequestConfig,
  response?: AxiosResponse,
): AxiosError {
  return new AxiosError(message, code, config, undefined, response);
}
