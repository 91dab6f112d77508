import { errors } from 'undici';

export interface ErrorFacts {
  code: string;
  message: string;
}

const CLOSED = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
const INVALID = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'ERR_INVALID_URL']);

/** Code and message of whatever a connection can die of. */
export function describeError(error: unknown): ErrorFacts {
  const { code, message } = codeAndMessage(error);
  if (CLOSED.has(code)) return { code: 'CLIENT_CLOSED', message: 'the client is closed' };
  if (INVALID.has(code)) return { code: 'INVALID_REQUEST', message: `the request cannot be sent: ${message}` };
  return { code, message };
}

function codeAndMessage(error: unknown): ErrorFacts {
  if (!(error instanceof Error) && !isErrorLike(error)) return { code: 'UNKNOWN', message: String(error) };
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof errors.HTTPParserError) return { code: code ?? 'HPE_INVALID', message };
  // several addresses were tried: Node's AggregateError has the first one's code and no message of its own
  const first = (error as AggregateError).errors?.[0] as unknown;
  if (message === '' && first !== undefined) return codeAndMessage(first);
  return { code: code ?? 'UNKNOWN', message };
}

function isErrorLike(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'message' in error;
}
