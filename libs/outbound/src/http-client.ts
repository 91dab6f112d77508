import axios, {
  AxiosError,
  AxiosHeaders,
  CanceledError,
  type AxiosInstance,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import type { CallOutcome, CallResponse } from '#domain';
import type { TargetClient } from './target-client.js';

export interface HttpClientOptions {
  /** Shared with the target calls: same guard, same connections, same limits. */
  client: TargetClient;
  /** Total, for calls that do not bring their own. */
  timeoutMs?: number;
  /** A longer response is an error. */
  maxBodyBytes?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 1024 * 1024;

/** axios for everything off the hot path: requests and errors as axios has them, sent by the guarded client. */
export function createHttpClient(options: HttpClientOptions): AxiosInstance {
  const limit = options.maxBodyBytes ?? MAX_BODY_BYTES;
  return axios.create({
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    maxRedirects: 0,
    proxy: false,
    adapter: async (config) => {
      const outcome = await options.client.call({ ...requestOf(config), bodyKeepLimit: limit });
      return outcome.kind === 'response' ? responseOf(outcome, config) : raise(outcome, config);
    },
  });
}

function requestOf(config: InternalAxiosRequestConfig): Parameters<TargetClient['call']>[0] {
  return {
    method: (config.method ?? 'get').toUpperCase(),
    url: axios.getUri(config),
    headers: plainHeaders(config.headers),
    body: bodyOf(config),
    timeoutMs: config.timeout || TIMEOUT_MS,
    signal: config.signal as AbortSignal | undefined,
  };
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

function responseOf(outcome: CallResponse, config: InternalAxiosRequestConfig): AxiosResponse {
  const response: AxiosResponse = {
    status: outcome.status,
    statusText: '',
    headers: new AxiosHeaders(outcome.headers),
    data: outcome.bodyEncoding === 'text' ? outcome.body : Buffer.from(outcome.body, 'base64'),
    config,
  };
  if (outcome.truncated) throw failure('the response is too large', AxiosError.ERR_BAD_RESPONSE, config, response);
  if (config.validateStatus && !config.validateStatus(outcome.status)) {
    const code = outcome.status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
    throw failure(`the server answered ${outcome.status}`, code, config, response);
  }
  return response;
}

function raise(outcome: Exclude<CallOutcome, CallResponse>, config: InternalAxiosRequestConfig): never {
  switch (outcome.kind) {
    case 'aborted':
      throw new CanceledError('canceled', config);
    case 'timeout':
      throw failure(`timeout of ${config.timeout} ms exceeded`, AxiosError.ECONNABORTED, config);
    case 'error':
      throw failure(outcome.message, outcome.code, config);
  }
}

function failure(
  message: string,
  code: string,
  config: InternalAxiosRequestConfig,
  response?: AxiosResponse,
): AxiosError {
  return new AxiosError(message, code, config, undefined, response);
}
