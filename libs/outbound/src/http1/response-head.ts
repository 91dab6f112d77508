import { errors } from 'undici';
import { invalidResponse } from './invalid-response.js';

export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

type Headers = Record<string, string | string[]>;

/** How the end of a body is known. */
export type Framing = { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'close' };

export interface ResponseHead {
  status: number;
  headers: ResponseHeaders;
  framing: Framing;
  /** Whether another request may follow on the same connection, as far as the server says. */
  keepsAlive: boolean;
  /** For how long it keeps a connection that nothing is sent on, where it says so. */
  keepAliveMs: number | null;
}

/**
 * Reads heads, and knows the last one by its text: a server that is called all day long says the same thing for a second, until its
 * `Date` is another. So they are shared, and frozen.
 */
export class HeadMemory {
  private text = '';
  private head: ResponseHead | null = null;

  read(text: string): ResponseHead {
    if (this.head !== null && text === this.text) return this.head;
    this.head = readResponseHead(text);
    this.text = text;
    return this.head;
  }
}

/** Names and values together. */
const MOST_HEADER_BYTES = 16 * 1024;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const DIGITS = /^\d{1,15}$/;

/**
 * Reads a response's head, without the empty line behind it. A line that does not end with CRLF or goes on in the next one, space before a
 * colon, two lengths, a length beside an encoding are refused, not guessed at.
 */
export function readResponseHead(text: string): ResponseHead {
  const firstEnd = endOfLine(text, 0);
  const { status, minor } = readStatusLine(text, firstEnd);
  const headers: Headers = {};
  let size = 0;
  for (let at = firstEnd + 2; at < text.length;) {
    const end = endOfLine(text, at);
    size += readHeader(text, at, end, headers);
    if (size > MOST_HEADER_BYTES) throw new errors.HeadersOverflowError();
    at = end + 2;
  }
  for (const value of Object.values(headers)) if (Array.isArray(value)) Object.freeze(value);
  return { status, headers: Object.freeze(headers), ...meaningOf(status, headers, minor) };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? text.length : end;
}

/** `HTTP/1.1 200 OK`, the last word being free. */
function readStatusLine(text: string, end: number): { status: number; minor: number } {
  const minor = text.charCodeAt(7) - 48;
  if (!text.startsWith('HTTP/1.') || (minor !== 0 && minor !== 1))
    throw invalidResponse('not HTTP/1', 'INVALID_VERSION');
  const status = text.slice(9, 12);
  const isWhole = end === 12 || (end > 12 && text[12] === ' ');
  if (text[8] !== ' ' || !/^[1-9]\d\d$/.test(status) || !isWhole) throw invalidResponse('no status', 'INVALID_STATUS');
  if (BAD_VALUE.test(text.slice(12, end))) throw invalidResponse('a bad status line', 'INVALID_STATUS');
  return { status: Number(status), minor };
}

/** Says how long it is. */
function readHeader(text: string, from: number, end: number, headers: Headers): number {
  const colon = text.indexOf(':', from);
  if (colon < 0 || colon > end) throw invalidResponse('a header without a colon', 'INVALID_HEADER_TOKEN');
  const name = text.slice(from, colon).toLowerCase();
  if (!NAME.test(name)) throw invalidResponse('a header with a bad name', 'INVALID_HEADER_TOKEN');
  const value = withoutSpace(text, colon + 1, end);
  if (BAD_VALUE.test(value)) throw invalidResponse('a header with a bad value', 'INVALID_HEADER_TOKEN');
  if (Object.hasOwn(headers, name)) putAnother(headers, name, value);
  else put(headers, name, value);
  return name.length + value.length;
}

function putAnother(headers: Headers, name: string, value: string): void {
  const before = headers[name];
  if (Array.isArray(before)) before.push(value);
  else headers[name] = [before, value];
}

/** A name that objects have by themselves is a header like any other. */
function put(headers: Headers, name: string, value: string): void {
  if (name !== '__proto__') headers[name] = value;
  else Object.defineProperty(headers, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Not trim(): that takes more for space than HTTP does. */
function withoutSpace(text: string, from: number, end: number): string {
  while (from < end && isSpace(text.charCodeAt(from))) from++;
  while (end > from && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(from, end);
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;

function meaningOf(status: number, headers: ResponseHeaders, minor: number): Omit<ResponseHead, 'status' | 'headers'> {
  const framing = framingOf(headers);
  const options = tokensOf(headers.connection);
  const wants = minor === 1 ? !options.includes('close') : options.includes('keep-alive') && !options.includes('close');
  const keepsAlive = wants && isSound(status, headers, framing);
  return { framing, keepsAlive, keepAliveMs: keepAliveOf(headers['keep-alive']) };
}

/** Whether its end is beyond doubt. What says that it has no body and announces one all the same may yet send it. */
function isSound(status: number, headers: ResponseHeaders, framing: Framing): boolean {
  const encoding = headers['transfer-encoding'];
  if (status === 204) return encoding === undefined && (framing.kind !== 'length' || framing.bytes === 0);
  if (status === 304) return encoding === undefined;
  return framing.kind === 'length' || (framing.kind === 'chunked' && tokensOf(encoding).length === 1);
}

function framingOf({ 'transfer-encoding': encoding, 'content-length': length }: ResponseHeaders): Framing {
  if (encoding !== undefined) {
    if (length !== undefined) throw invalidResponse('a length beside an encoding', 'UNEXPECTED_CONTENT_LENGTH');
    const encodings = tokensOf(encoding);
    const at = encodings.indexOf('chunked');
    if (at < 0) return { kind: 'close' };
    // Said twice, as by proxies that add what is there already, it is still done once.
    const isLast = encodings.slice(at).every((one) => one === 'chunked');
    if (!isLast) throw invalidResponse('chunked, and something on top', 'INVALID_TRANSFER_ENCODING');
    return { kind: 'chunked' };
  }
  if (length === undefined) return { kind: 'close' };
  if (Array.isArray(length)) throw invalidResponse('two lengths', 'UNEXPECTED_CONTENT_LENGTH');
  if (!DIGITS.test(length)) throw invalidResponse('a length that is none', 'INVALID_CONTENT_LENGTH');
  return { kind: 'length', bytes: Number(length) };
}

function tokensOf(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  if (value === 'keep-alive' || value === 'close' || value === 'chunked') return [value];
  return String(value)
    .toLowerCase()
    .split(',')
    .map((token) => withoutSpace(token, 0, token.length))
    .filter((token) => token !== '');
}

function keepAliveOf(value: string | string[] | undefined): number | null {
  if (value === undefined) return null;
  const seconds = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(String(value))?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
