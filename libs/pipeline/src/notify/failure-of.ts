import { isAxiosError } from 'axios';

const LONGEST_ERROR = 1_000;

/** Why a try was not acknowledged. */
export interface Failure {
  httpStatus: number | null;
  retryAfter: string | undefined;
  error: string;
}

/** `error` is what came instead of an acknowledgement: axios's, or that of what could not be sent at all. */
export function failureOf(error: Error): Failure {
  const response = isAxiosError(error) ? error.response : undefined;
  const reason = error.message.replace('the target', 'the receiver');
  return {
    httpStatus: response?.status ?? null,
    retryAfter: first(response?.headers['retry-after'] as Header),
    error: shortened(reason + saidIn(response?.data)),
  };
}

/** Bytes that are not text say nothing to people. */
function saidIn(body: unknown): string {
  return typeof body === 'string' && body.trim() !== '' ? `: ${body.trim()}` : '';
}

type Header = string | string[] | undefined;
const first = (header: Header): string | undefined => (Array.isArray(header) ? header[0] : header);

/** Text that both databases can store. */
const shortened = (text: string): string => text.slice(0, LONGEST_ERROR).toWellFormed().replaceAll('\0', '\ufffd');
